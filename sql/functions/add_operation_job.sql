-- Adds the job that wakes the worker for an operation at this epoch; tells the job's id.  Internal.
--
-- The job's key is the caller's key with the epoch: a finished job that is not yet deleted would
-- swallow a second job of the same key.
create or replace function panel.add_operation_job(
  p_id uuid,
  p_name text,
  p_caller text,
  p_key text,
  p_epoch integer
)
returns bigint
language plpgsql volatile
as $$
begin
  return (
    select j.id
    from worker_queue.add_job(
      identifier => p_name,
      payload => json_build_object('operationId', p_id),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      -- Crashes cost attempts: out of reach, because operations count their own starts.
      max_attempts => 32767,
      job_key => coalesce(p_caller || ':' || p_key, 'internal:' || p_id) || ':' || p_epoch,
      job_key_mode => 'unsafe_dedupe') j);
end;
$$;
