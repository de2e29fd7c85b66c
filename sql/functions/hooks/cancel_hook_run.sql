-- Cancels an event's hook scripts if none has started, and promotes the account's next ones.
-- Returns `cancelled`, or why not: `begun` or `ended`; null if there are none.
create or replace function panel.cancel_hook_run(p_event_id bigint)
returns text
language plpgsql volatile security definer
as $$
declare
  v_row hook_runs%rowtype := lock_hook_run(p_event_id);
begin
  if v_row.event_id is null then
    return null;
  elsif v_row.state = 'done' then
    return 'ended';
  elsif v_row.state = 'running' then
    return 'begun';
  end if;

  update hook_runs
  set state = 'done', is_cancelled = true, epoch = epoch + 1, finished_at = now(),
    error = 'Cancelled before it began'
  where event_id = p_event_id;
  if v_row.state = 'queued' then
    perform promote_hook_run(v_row.account_id);
  end if;
  return 'cancelled';
end;
$$;
grant execute on function panel.cancel_hook_run to panel_api;
