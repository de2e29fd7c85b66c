-- Begins an operation for each of these accounts that makes the machine agree with its rows again
-- and records the differences. An operation that already waits for its turn serves instead.
-- Accounts that are being created, terminated or gone are left out.
create or replace function panel.rebuild_accounts(p_account_ids bigint[])
returns table (operation uuid, username text)
language plpgsql volatile security definer
as $$
declare
  v_ids bigint[];
  v_id  bigint;
begin
  v_ids := array(
    select a.id
    from accounts a
    where a.id = any (p_account_ids) and a.state in ('active', 'suspended')
    order by a.id
    for no key update);

  for v_id in
    select unnest(v_ids)
    except select o.lane from operations o
      where o.name = 'account/apply' and o.state in ('blocked', 'queued')
    order by 1
  loop
    perform begin_internal(v_id, 'account/apply');
  end loop;

  return query
    update operations o
    set differed = coalesce(o.differed, '{}')
    where o.lane = any (v_ids) and o.name = 'account/apply'
      and o.state in ('blocked', 'queued')
    returning o.id, o.username;
end;
$$;
grant execute on function panel.rebuild_accounts to panel_worker;
