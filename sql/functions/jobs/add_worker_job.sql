-- Adds a job that wakes the worker; returns its id.  Internal.
create or replace function panel.add_worker_job(
  p_task text,
  p_payload json,
  -- With the epoch: a finished job that is not deleted yet would swallow a second one of its key.
  p_key text default null,
  p_priority integer default 0
)
returns bigint
language plpgsql volatile
as $$
begin
  -- Jobs of its own places, which are not looked for at each job of another task (openQueue).
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
      -- Crashes cost attempts: out of reach, because what a job stands for counts its own starts.
      max_attempts => 32767,
      job_key => p_key,
      job_key_mode => 'unsafe_dedupe',
      priority => p_priority) j);
end;
$$;
