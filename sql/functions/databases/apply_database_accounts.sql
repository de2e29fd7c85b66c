-- Applies these accounts again, or all that have databases: once MariaDB answers again, changes
-- such as a suspension have not reached it. Internal.
create or replace function panel.apply_database_accounts(p_ids bigint[] default null)
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
        or p_ids is null and exists (select from databases d where d.account_id = a.id))
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
