-- Ends an operation that has been undone, as far as possible, in one transaction with the writes of
-- its resource kind's own function. It has failed: nothing is stored and its key is free for a
-- retry. Or it was refused (4xx): the answer that undo_operation kept is recorded. Returns null,
-- having changed nothing, if a later start has taken over.
create or replace function panel.release_operation(
  p_id uuid,
  p_epoch integer,
  -- Why the undo is incomplete; null if it is complete.
  p_undo_error text default null,
  -- The steps, with times.
  p_steps json default null
)
returns uuid
language plpgsql volatile security definer
as $$
declare
  v_lane bigint;
begin
  select lane into v_lane from operations where id = p_id;
  perform lock_lane(v_lane);

  update operations o
  set state = case when o.before ? 'status' then 'done' else 'failed' end,
    status = (o.before ->> 'status')::integer,
    body = decode(o.before ->> 'body', 'base64'),
    reason = o.before ->> 'reason',
    field = o.before ->> 'field',
    params = '{}', before = null, undo_error = p_undo_error, steps = p_steps,
    finished_at = now()
  where o.id = p_id and o.epoch = p_epoch and o.state = 'undoing';
  if not found then
    return null;
  end if;

  perform release_lane(p_id, v_lane);
  return p_id;
end;
$$;
grant execute on function panel.release_operation to panel_worker;
