-- Returns the account that has a name as a website or a mail domain, which the mail server
-- therefore cannot have; null if none has.
create or replace function panel.mail_host_owner(p_host text)
returns text
language sql stable security definer
as $$
  select a.username
  from accounts a
  where a.id in (
    select s.account_id
    from site_names n
    join sites s on s.id = n.site_id
    where n.name = p_host
    union
    select d.account_id from mail_domains d where d.domain = p_host)
  order by a.username
  limit 1;
$$;
grant execute on function panel.mail_host_owner to panel_api, panel_worker;
