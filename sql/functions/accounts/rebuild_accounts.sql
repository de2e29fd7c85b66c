-- Begins an operation for each of these accounts that makes the machine agree with its rows again
-- and records the differences. An operation that already waits for its turn serves instead.
-- Accounts that are being created, terminated or gone are left out.
create or replace function panel.rebuild_accounts(p_account_ids bigint[])
returns table (operation uuid, username text)
language plpgsql volatile security definer
as $$
declare
  v_ids constant bigint[] := apply_accounts(p_account_ids);
begin
  return query
    update operations o
    set differed = coalesce(o.differed, '{}')
    where o.lane = any (v_ids) and o.name = 'account/apply'
      and o.state in ('blocked', 'queued')
    returning o.id, o.username;
end;
$$;
grant execute on function panel.rebuild_accounts to panel_worker;
