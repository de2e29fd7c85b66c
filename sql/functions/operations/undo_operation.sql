-- Commits that an operation has failed and that its undo begins: its former values are desired
-- again. The key stays claimed until the undo has been released. Returns the operation's id, or
-- null if a later start has taken over.
create or replace function panel.undo_operation(
  p_id uuid,
  p_epoch integer,
  p_error text,
  -- The answer to keep, if it was refused (4xx) and has not failed.
  p_status integer,
  p_body bytea,
  p_reason text,
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

  -- A resumed undo keeps the first cause.
  update operations o
  set state = 'undoing',
    error = case o.state when 'running' then p_error else o.error end,
    before = case
      -- If the resource is gone, no values were found.
      when o.state = 'running' and p_status is not null
        then coalesce(o.before, '{}')
          || jsonb_build_object(
            'status', p_status, 'body', encode(p_body, 'base64'), 'reason', p_reason,
            'field', p_field)
      else o.before
    end
  where o.id = p_id and o.epoch = p_epoch and o.state in ('running', 'undoing');
  if not found then
    return null;
  end if;
  perform revert_desired_state(p_id, false);
  return p_id;
end;
$$;
grant execute on function panel.undo_operation to panel_worker;
