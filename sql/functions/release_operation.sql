-- Ends an operation that has been undone.  It has failed: nothing is stored and its key is free for
-- a new try.  Or it was refused (4xx): the answer that undo_operation kept is recorded.
-- `p_is_applied` says whether the machine is known to agree with the account again.
-- Returns false, having changed nothing, where a later start has taken over.
create or replace function panel.release_operation(
  p_id uuid,
  p_epoch integer,
  p_is_applied boolean,
  -- What was done, with times.
  p_steps json default null
)
returns boolean
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_account_id bigint;
begin
  select account_id into v_account_id from operations where id = p_id;
  perform from accounts where id = v_account_id for no key update;

  update operations o
  set state = case when o.found ? 'status' then 'done' else 'failed' end,
    status = (o.found ->> 'status')::integer,
    body = decode(o.found ->> 'body', 'base64'),
    wants = '{}', found = null, steps = p_steps, finished_at = now()
  where o.id = p_id and o.epoch = p_epoch and o.state = 'undoing';
  if not found then
    return false;
  end if;

  update accounts set is_applied = p_is_applied where id = v_account_id;

  perform release_account(v_account_id);
  perform pg_notify('operation_finished', p_id::text);
  return true;
end;
$$;

revoke execute on function panel.release_operation from public;
grant execute on function panel.release_operation to panel_worker;
