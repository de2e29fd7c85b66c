-- Has the accounts that have databases made to agree, once MariaDB answers again: what was wanted
-- meanwhile, such as a suspension, has not reached it.  Internal: note_services calls it.
create or replace function panel.apply_database_accounts()
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
      and exists (select from databases d where d.account_id = a.id)
      and not exists (
        select from operations o
        where o.account_id = a.id and o.name = 'account/apply' and o.state in ('parked', 'queued'))
    order by a.id
    for no key update
  loop
    perform begin_internal(v_account.id, 'account/apply');
  end loop;
end;
$$;
