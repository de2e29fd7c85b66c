-- Ends an operation that has been undone.  It has failed: nothing is stored and its key is free for
-- a new try.  Or it was refused (4xx): the answer that undo_operation kept is recorded.
-- `p_is_applied` says whether the machine is known to agree with the account again; where it is
-- not, it is made to, without hands (sweep_unapplied).
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
  v_is_applied boolean;
  v_warning    constant text :=
    'The last change could not be undone completely: it is tried again until it is';
begin
  -- The work on certificates is no apply: it leaves the account as it found it.
  select o.account_id,
    p_is_applied
      and (o.name not like 'certificate/%' or coalesce((o.found ->> 'is_applied')::boolean, true))
  into v_account_id, v_is_applied
  from operations o
  where o.id = p_id;
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

  update accounts
  set is_applied = v_is_applied,
    warnings = array_remove(warnings, v_warning)
      || case when not v_is_applied then array[v_warning] end,
    unapplied_since = case when not v_is_applied then coalesce(unapplied_since, now()) end,
    -- After a pause as long as it has taken so far, like what is deferred.
    apply_due_at = case when not v_is_applied then now()
      + least(greatest(now() - unapplied_since, interval '2 seconds'), interval '1 minute') end
  where id = v_account_id;

  perform release_account(v_account_id);
  perform pg_notify('operation_finished', p_id::text);
  return true;
end;
$$;

revoke execute on function panel.release_operation from public;
grant execute on function panel.release_operation to panel_worker;
