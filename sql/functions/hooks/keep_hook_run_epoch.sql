-- Returns whether a hook run still belongs to the start with this epoch. The lock keeps it so until
-- the transaction ends, so a later start sees these writes.
create or replace function panel.keep_hook_run_epoch(p_event_id bigint, p_epoch integer)
returns boolean
language plpgsql volatile security definer
as $$
begin
  perform from hook_runs
  where event_id = p_event_id and epoch = p_epoch and state = 'running'
  for share;
  return found;
end;
$$;
grant execute on function panel.keep_hook_run_epoch to panel_worker;
