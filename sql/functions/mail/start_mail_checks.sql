-- Starts checks of the mail domains that are due for the longest time, and returns them. Each is
-- due again soon, in case this courier ends; until then no other courier checks it. A later start
-- raises the epoch, so that an earlier one can record nothing more.
create or replace function panel.start_mail_checks(p_limit integer)
returns table (
  id bigint,
  epoch integer,
  domain text,
  -- The name of the mail server.
  host text,
  -- The DKIM record that the domain should have; the key is null until it is made.
  selector text,
  key text
)
language plpgsql volatile security definer
as $$
#variable_conflict use_column
begin
  if (select s.mail ->> 'host' from server s) is null then
    return;
  end if;
  return query
    update mail_domains d
    set check_at = now() + interval '5 minutes', check_epoch = d.check_epoch + 1
    from server s
    where d.id = any (array(
      select m.id
      from mail_domains m
      join accounts a on a.id = m.account_id
      where m.check_at <= now() and m.desired = 'present' and m.added_by is null
        and a.state in ('active', 'suspended')
      order by m.check_at
      limit p_limit
      for no key update of m skip locked))
    returning d.id, d.check_epoch, d.domain, s.mail ->> 'host', d.dkim_selector,
      d.dkim_public_key;
end;
$$;
grant execute on function panel.start_mail_checks to panel_courier;
