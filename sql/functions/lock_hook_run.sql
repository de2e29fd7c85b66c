-- Locks an event's hook scripts for a change of their turn, their account first, and tells how they
-- are; null where there are none.  Internal.
create or replace function panel.lock_hook_run(p_event_id bigint)
returns panel.hook_runs
language plpgsql volatile
set search_path = panel, pg_temp
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

revoke execute on function panel.lock_hook_run from public;
