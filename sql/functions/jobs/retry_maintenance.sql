-- Makes a failed job due now, whether it waits for its next attempt or has none left. Returns
-- `due`, or why not: `waiting` if it was not attempted yet, `begun`; null if the queue has no such
-- job.
create or replace function panel.retry_maintenance(p_worker text, p_job_id bigint)
returns text
language plpgsql volatile security definer
as $$
declare
  v_queue     constant text := case p_worker when 'courier' then 'courier_queue'
    else 'worker_queue' end;
  v_attempts  integer;
  v_is_locked boolean;
begin
  execute format('select attempts, locked_at is not null from %I.jobs where id = $1', v_queue)
  into v_attempts, v_is_locked using p_job_id;
  if v_attempts is null then
    return null;
  elsif v_is_locked then
    return 'begun';
  elsif v_attempts = 0 then
    return 'waiting';
  end if;
  -- In the far past, so that a clock set back delays nothing.
  execute format(
    'select from %I.reschedule_jobs(array[$1], run_at => $2, attempts => 0)', v_queue)
  using p_job_id, timestamptz '2000-01-01 00:00:00+00';
  perform pg_notify('jobs:insert', '{"count":1}');
  return 'due';
end;
$$;
grant execute on function panel.retry_maintenance to panel_api;
