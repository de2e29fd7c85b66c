-- Has the worker erase accounts that were added without a create in progress, and returns how many:
-- the API begins one together with the row, so only rows added outside the API are such. Their
-- names and slots are then free again. Internal.
create or replace function panel.erase_orphaned_accounts(
  p_limit integer,
  -- Only this account, if it is such; null for all.
  p_account_id bigint default null
)
returns integer
language plpgsql volatile
as $$
declare
  v_account record;
  v_id      uuid;
  v_count   integer := 0;
begin
  for v_account in
    select a.id, a.username
    from accounts a
    where a.state = 'provisioning' and (p_account_id is null or a.id = p_account_id)
      and not exists (
        select from operations o
        where o.lane = a.id and o.state in ('blocked', 'queued', 'running', 'undoing'))
    limit p_limit
    for no key update skip locked
  loop
    -- Begun as the undo of a create, since other operations may have reached the machine.
    insert into operations (name, account_id, username, state, error)
    values ('account/create', v_account.id, v_account.username, 'undoing', 'It was never begun')
    returning id into v_id;
    perform enqueue_operation(v_id);
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;
