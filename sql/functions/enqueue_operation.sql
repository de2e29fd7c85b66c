-- Wakes the worker for an operation.  Internal: the callers hold the account's row.
--
-- The job's key is the caller's key with the epoch, raised here: a finished job that is not yet
-- deleted would swallow a second job of the same key.
create or replace function panel.enqueue_operation(p_id uuid)
returns void
language plpgsql volatile
set search_path = panel, pg_temp
as $$
declare
  v_row operations%rowtype;
begin
  update operations
  set epoch = epoch + 1,
    state = case when state in ('claimed', 'parked') then 'queued' else state end,
    due_at = now()
  where id = p_id
  returning * into v_row;

  update operations
  set queue_job_id = (
    select j.id
    from worker_queue.add_job(
      identifier => v_row.name,
      payload => json_build_object('operationId', p_id),
      -- In the far past, so that a clock set back delays nothing.
      run_at => '2000-01-01 00:00:00+00',
      -- Crashes cost attempts: out of reach, because operations count their own starts.
      max_attempts => 32767,
      job_key => v_row.token_id || ':' || v_row.key || ':' || v_row.epoch,
      job_key_mode => 'unsafe_dedupe') j)
  where id = p_id;
end;
$$;

revoke execute on function panel.enqueue_operation from public;
