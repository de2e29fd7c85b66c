-- Starts an operation, or starts it again after its worker died: raises the epoch, so that an
-- earlier start can write nothing any more, and writes down what is wanted of the account.
-- Returns no row where there is nothing to do: it is finished, or it is not its turn.
--
-- The caller then holds the account's advisory lock before it changes the machine.
create or replace function panel.start_operation(
  p_id uuid,
  out epoch integer,
  out starts integer,
  out state text,
  out username text,
  out created_at timestamptz,
  out account jsonb,
  out password_hash text
)
returns setof record
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
begin
  -- Accounts are locked before operations, always.
  select o.account_id into v_account_id from operations o where o.id = p_id;
  perform from accounts a where a.id = v_account_id for no key update;

  update operations o
  set epoch = o.epoch + 1,
    starts = o.starts + 1,
    state = case o.state when 'queued' then 'running' else o.state end,
    started_at = coalesce(o.started_at, now()),
    found = coalesce(o.found, (
      select jsonb_build_object(
        'wanted', a.wanted,
        'suspend_reason', a.suspend_reason,
        'suspended_by', a.suspended_by,
        'is_applied', a.is_applied)
      from accounts a where a.id = o.account_id))
  where o.id = p_id and o.state in ('queued', 'running', 'undoing')
  returning o.epoch, o.starts, o.state, o.username, o.created_at
  into epoch, starts, state, username, created_at;
  if not found then
    return;
  end if;

  if state = 'running' then
    update accounts a
    set wanted = coalesce(o.wants ->> 'wanted', a.wanted),
      suspend_reason = case when o.wants ? 'suspend_reason'
        then o.wants ->> 'suspend_reason' else a.suspend_reason end,
      suspended_by = case when o.wants ? 'suspended_by'
        then o.wants ->> 'suspended_by' else a.suspended_by end,
      is_applied = false
    from operations o
    where o.id = p_id and a.id = o.account_id and a.state <> 'terminated'
      -- Nothing is to be done where the machine agrees with just that already.
      and (a.wanted <> o.wants ->> 'wanted' or not a.is_applied);
  end if;

  account := account_record(v_account_id);
  select a.password_hash into password_hash from accounts a where a.id = v_account_id;
  return next;
end;
$$;

revoke execute on function panel.start_operation from public;
grant execute on function panel.start_operation to panel_worker;
