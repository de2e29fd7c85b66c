-- Starts an operation, or starts it again after its worker died: raises the epoch, so that an
-- earlier start can write nothing any more. Its resource kind's own function writes the desired
-- state in the same transaction (write_desired_account and its like). Returns no row if there is
-- nothing to do: it is finished, it is not its turn, or its task is paused, which stops only
-- operations that have not begun.
--
-- It first takes the lane's advisory lock for the caller's session, which holds it for as long as
-- it changes the machine; if another session has it, `id` is null and nothing has begun.
create or replace function panel.start_operation(
  p_id uuid,
  -- The result of its resource kind's function (find_account); '{}' without a resource kind.
  p_before jsonb,
  out id uuid,
  out epoch integer,
  out starts integer,
  out state text,
  -- Null if the account is gone.
  out lane bigint,
  out username text
)
returns setof record
language plpgsql volatile security definer
as $$
declare
  v_lane bigint;
begin
  select o.lane into v_lane
  from operations o
  where o.id = p_id and o.state in ('queued', 'running', 'undoing')
    and (o.state <> 'queued' or not is_operation_paused(o.name, o.differed));
  if not found then
    return;
  elsif p_before is null or not coalesce(pg_try_advisory_lock(v_lane), true) then
    -- It may start only now, or another session has the lane.
    return next;
    return;
  end if;

  -- A start that a crash of the server forgets only happens again: it was reported to no caller,
  -- and the lock was lost too, with the session. So it need not wait for the disk.
  perform set_config('synchronous_commit', 'off', true);

  -- Lanes are always locked before operations. If another transaction has the row, the start is
  -- retried: all operations are started on one connection.
  if v_lane is not null and not lock_lane(v_lane, false) then
    perform pg_advisory_unlock(v_lane);
    return next;
    return;
  end if;

  update operations o
  set epoch = o.epoch + 1,
    starts = o.starts + 1,
    state = case o.state when 'queued' then 'running' else o.state end,
    started_at = coalesce(o.started_at, now()),
    earlier_starts = case
      when o.starts = 0 and o.error is null then o.earlier_starts
      else with_last_start(o)
    end,
    steps = null,
    before = coalesce(o.before, p_before)
  where o.id = p_id and o.state in ('queued', 'running', 'undoing')
    -- A repeat may have begun it in another lane since; that one's own job will start it.
    and o.lane is not distinct from v_lane
  returning o.id, o.epoch, o.starts, o.state, o.lane, o.username
  into id, epoch, starts, state, lane, username;
  if not found then
    -- It has ended, or begun again, while we waited for its row.
    perform pg_advisory_unlock(v_lane);
    return;
  end if;
  return next;
end;
$$;
grant execute on function panel.start_operation to panel_worker;
