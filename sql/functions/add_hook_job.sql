-- Adds the job that wakes the worker for an event's hook scripts; returns the job's id.  Internal.
create or replace function panel.add_hook_job(p_event_id bigint, p_epoch integer)
returns bigint
language plpgsql volatile
as $$
begin
  return (
    select j.id
    from worker_queue.add_job(
      identifier => 'hook/run',
      payload => json_build_object('eventId', p_event_id::text),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      -- Crashes cost attempts, so there are as many as possible: scripts count interruptions.
      max_attempts => 32767,
      job_key => 'hook:' || p_event_id || ':' || p_epoch,
      job_key_mode => 'unsafe_dedupe',
      -- Behind all operations, so that fetching one never has to skip these.
      priority => 10) j);
end;
$$;
