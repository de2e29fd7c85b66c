-- Records the ended run of a job without a row of its own.  It began `p_ran_ms` ago by the
-- database's clock, which alone gives times.
create or replace function panel.record_maintenance(
  p_worker text,
  p_job_id bigint,
  p_task text,
  p_due_at timestamptz,
  p_ran_ms integer,
  p_error text
)
returns void
language sql volatile security definer
as $$
  insert into maintenance_runs (worker, job_id, task, due_at, started_at, error)
  select p_worker, p_job_id, p_task, least(p_due_at, began.at), began.at, p_error
  from (select now() - p_ran_ms * interval '1 ms' as at) began;
$$;
grant execute on function panel.record_maintenance to panel_worker, panel_courier;
