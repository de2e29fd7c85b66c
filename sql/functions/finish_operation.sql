-- Ends an operation that has done its work, in one transaction: the account's new state, the
-- events, the stored answer, the account's next parked operation, the caller's wake-up.
-- Returns false, having changed nothing, where a later start has taken over (another epoch).
create or replace function panel.finish_operation(
  p_id uuid,
  p_epoch integer,
  p_status integer,
  p_body bytea,
  p_location text,
  -- Null where the account's state stays as it is.
  p_state text,
  p_warnings text[],
  p_changed_at timestamptz,
  p_event_names text[],
  p_event_bodies bytea[],
  -- Those events for which there are hook scripts; null where that is not known.
  p_scripted text[] default null,
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

  update operations
  set state = 'done', status = p_status, body = p_body, location = p_location,
    wants = '{}', found = null, steps = p_steps, finished_at = now()
  where id = p_id and epoch = p_epoch and state = 'running';
  if not found then
    return false;
  end if;

  if p_state is not null then
    update accounts
    set state = p_state,
      warnings = p_warnings,
      is_applied = true,
      unapplied_since = null,
      apply_due_at = null,
      suspended_at = case
        when p_state <> 'suspended' then null
        when state = 'suspended' then suspended_at
        else p_changed_at
      end,
      suspend_reason = case p_state when 'suspended' then suspend_reason end,
      suspended_by = case p_state when 'suspended' then suspended_by end,
      terminated_at = case p_state when 'terminated' then p_changed_at end
    where id = v_account_id;
    -- The names of a terminated account's websites are free at once, like its own.
    delete from sites where account_id = v_account_id and p_state = 'terminated';
  end if;

  for i in 1 .. coalesce(cardinality(p_event_names), 0) loop
    perform emit(
      p_event_names[i], v_account_id, p_id, p_event_bodies[i],
      p_scripted is null or p_event_names[i] = any (p_scripted));
  end loop;

  perform promote_parked(v_account_id);
  if p_state = 'active' then
    perform request_certificates(v_account_id);
  end if;
  -- With the answer, where it fits a notification (8,000 bytes): the listener need not ask for it.
  perform pg_notify('operation_finished', p_id::text || case when octet_length(p_body) < 7000
    then format(' %s %s %s %s', p_epoch, p_status, p_location, convert_from(p_body, 'UTF8'))
    else '' end);
  return true;
end;
$$;

revoke execute on function panel.finish_operation from public;
grant execute on function panel.finish_operation to panel_worker;
