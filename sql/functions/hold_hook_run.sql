-- Whether a hook run is still that start's (its epoch), and keeps it so for the transaction: what a
-- later start sees was written before it.
create or replace function panel.hold_hook_run(p_event_id bigint, p_epoch integer)
returns boolean
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
begin
  perform from hook_runs
  where event_id = p_event_id and epoch = p_epoch and state = 'running'
  for share;
  return found;
end;
$$;

revoke execute on function panel.hold_hook_run from public;
grant execute on function panel.hold_hook_run to panel_worker;
