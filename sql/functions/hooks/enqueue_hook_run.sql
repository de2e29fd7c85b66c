-- Enqueues the worker's job for an event's hook scripts, again or for the first time, under a new
-- epoch. Internal: the callers hold the account's row lock.
create or replace function panel.enqueue_hook_run(p_event_id bigint)
returns void
language plpgsql volatile
as $$
begin
  update hook_runs
  set epoch = epoch + 1,
    state = case state when 'blocked' then 'queued' else state end,
    queue_job_id = add_worker_job(
      'hook/run', json_build_object('eventId', event_id::text),
      'hook:' || event_id || ':' || epoch + 1,
      -- Behind all operations, so that fetching one never has to skip these.
      p_priority => 10)
  where event_id = p_event_id;
end;
$$;
