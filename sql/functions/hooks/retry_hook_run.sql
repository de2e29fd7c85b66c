-- Makes those of an event's hook scripts due again that have not succeeded, or all if the run was
-- cancelled. Returns `due`, or why not: `waiting`, `begun`, `succeeded`; null if there are none.
create or replace function panel.retry_hook_run(p_event_id bigint)
returns text
language plpgsql volatile security definer
as $$
declare
  v_row hook_runs%rowtype := lock_hook_run(p_event_id);
begin
  if v_row.event_id is null then
    return null;
  elsif v_row.state = 'running' then
    return 'begun';
  elsif v_row.state <> 'done' then
    return 'waiting';
  end if;

  if v_row.error is null and all_scripts_succeeded(p_event_id) then
    return 'succeeded';
  end if;
  update script_runs
  set is_repeated = true
  where event_id = p_event_id and outcome <> 'succeeded' and not is_repeated;

  update hook_runs
  set state = 'blocked', is_cancelled = false, error = null, created_at = now(), started_at = null,
    finished_at = null
  where event_id = p_event_id;
  if v_row.account_id is null then
    perform enqueue_hook_run(p_event_id);
  else
    perform promote_hook_run(v_row.account_id);
  end if;
  return 'due';
end;
$$;
grant execute on function panel.retry_hook_run to panel_api;
