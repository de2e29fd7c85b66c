-- Applies these accounts again, or all that have mail domains: once the server's mail is on, or a
-- domain has become active or pending. Internal.
create or replace function panel.apply_mail_accounts(p_ids bigint[] default null)
returns void
language plpgsql volatile
as $$
declare
  v_account record;
begin
  for v_account in
    select a.id
    from accounts a
    where a.state in ('active', 'suspended')
      and (a.id = any (p_ids)
        or p_ids is null and exists (select from mail_domains d where d.account_id = a.id))
      and not exists (
        select from operations o
        where o.lane = a.id and o.name = 'account/apply' and o.state in ('blocked', 'queued'))
    order by a.id
    for no key update
  loop
    perform begin_internal(v_account.id, 'account/apply');
  end loop;
end;
$$;
