-- Begins an operation without a request, in an account's lane or the server's (0). Internal: the
-- callers hold the lane's row lock.
create or replace function panel.begin_internal(
  p_lane bigint,
  p_name text,
  -- The operation whose change it applies.
  p_cause uuid default null
)
returns void
language plpgsql volatile
as $$
declare
  v_id      uuid;
  v_is_busy boolean;
begin
  v_is_busy := exists (
    select from operations
    where lane = p_lane and state in ('blocked', 'queued', 'running', 'undoing'));
  insert into operations (name, account_id, is_server, username, cause, state)
  values (
    p_name, nullif(p_lane, 0), p_lane = 0, (select username from accounts where id = p_lane),
    p_cause,
    case when v_is_busy then 'blocked' else 'queued' end)
  returning id into v_id;
  if not v_is_busy then
    perform enqueue_operation(v_id);
  end if;
end;
$$;
