-- Adds a job that wakes the worker; returns its id.  Internal.
create or replace function panel.add_worker_job(
  p_task text,
  p_payload json,
  -- With the epoch: a finished job that is not deleted yet would swallow a second one of the same
  -- key.
  p_key text default null,
  p_priority integer default 0
)
returns bigint
language plpgsql volatile
as $$
begin
  -- Jobs with slots of their own, which are not polled for at each job of another task (openQueue).
  if p_task = 'hook/run' then
    perform pg_notify('jobs:insert', json_build_object('count', 0, 'task', p_task)::text);
  end if;
  return (
    select j.id
    from worker_queue.add_job(
      identifier => p_task,
      payload => p_payload,
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      -- Crashes cost attempts: the maximum is out of reach, because rows count their own starts.
      max_attempts => 32767,
      job_key => p_key,
      job_key_mode => 'unsafe_dedupe',
      priority => p_priority) j);
end;
$$;
