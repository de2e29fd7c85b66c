-- Returns the mail domains of an account for the machine, with their mailboxes and the hashes of
-- their passwords, and their aliases; null if it has none.
create or replace function panel.account_mail(p_account_id bigint)
returns json
language plpgsql stable security definer
as $$
begin
  if not exists (select from mail_domains d where d.account_id = p_account_id) then
    return null;
  end if;
  return (
    select json_agg(
      json_build_object(
        'domain', d.domain, 'isActive', d.state = 'active', 'catchAll', d.catch_all,
        'selector', d.dkim_selector, 'desired', d.desired,
        'mailboxes', coalesce((
          select json_agg(
            json_build_object(
              'localPart', m.local_part, 'hash', m.hash, 'quotaMb', m.quota_mb,
              'autoresponder', m.autoresponder, 'filters', m.filters, 'desired', m.desired)
            order by m.id)
          from mailboxes m
          where m.domain_id = d.id and m.desired <> 'reserved'), '[]'),
        'aliases', coalesce((
          select json_agg(
            json_build_object('localPart', x.local_part, 'targets', x.targets) order by x.id)
          from mail_aliases x
          where x.domain_id = d.id and x.desired = 'present'), '[]'))
      order by d.id)
    from mail_domains d
    where d.account_id = p_account_id and d.desired <> 'reserved');
end;
$$;
grant execute on function panel.account_mail to panel_worker;
