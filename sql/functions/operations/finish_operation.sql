-- Ends an operation that has done its work, in one transaction with the writes of its resource
-- kind's own function (complete_account and its like): the events, the stored answer, the lane's
-- next blocked operation, the caller's wake-up. Returns null, having changed nothing, if a later
-- start has taken over (another epoch).
create or replace function panel.finish_operation(
  p_id uuid,
  p_epoch integer,
  p_status integer,
  p_body bytea,
  p_location text,
  p_event_names text[],
  p_event_bodies bytea[],
  -- The events that have hook scripts; null if that is not known.
  p_scripted text[] default null,
  -- The steps, with times.
  p_steps json default null,
  -- The code of a refusal; null for any other answer.
  p_reason text default null,
  -- The input that caused it.
  p_field text default null
)
returns uuid
language plpgsql volatile security definer
as $$
declare
  v_lane bigint;
begin
  select lane into v_lane from operations where id = p_id;
  perform lock_lane(v_lane);

  update operations
  set state = 'done', status = p_status, body = p_body, location = p_location,
    reason = p_reason, field = p_field, params = '{}', before = null, steps = p_steps,
    finished_at = now()
  where id = p_id and epoch = p_epoch and state = 'running';
  if not found then
    return null;
  end if;

  for i in 1 .. coalesce(cardinality(p_event_names), 0) loop
    perform emit(
      p_event_names[i], nullif(v_lane, 0), p_id, p_event_bodies[i],
      p_scripted is null or p_event_names[i] = any (p_scripted));
  end loop;

  perform promote_blocked(v_lane);
  perform notify_finished(p_id);
  return p_id;
end;
$$;
grant execute on function panel.finish_operation to panel_worker;
