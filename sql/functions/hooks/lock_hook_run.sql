-- Locks an event's hook run for a change of its state, its account first, and returns it; null if
-- there is none.  Internal.
create or replace function panel.lock_hook_run(p_event_id bigint)
returns panel.hook_runs
language plpgsql volatile
as $$
declare
  v_row hook_runs%rowtype;
begin
  perform from accounts
  where id = (select account_id from hook_runs where event_id = p_event_id)
  for no key update;
  select * into v_row from hook_runs where event_id = p_event_id for no key update;
  return v_row;
end;
$$;
