-- Returns maintenance as jobs (list_jobs.sql). It has no table of its own: open jobs are read from
-- the queues (with other jobs, which are rows elsewhere), ended ones from `maintenance_runs`. The
-- queues' own error texts are not shown, because they are not redacted.
create or replace function panel.maintenance_jobs()
returns setof panel.run
language sql stable
as $$
  with queued as not materialized (
    select 'worker' as worker, j.id, j.task_identifier as task, j.run_at, j.created_at, j.locked_at,
      j.attempts, j.max_attempts
    from worker_queue.jobs j
    union all
    select 'courier', j.id, j.task_identifier, j.run_at, j.created_at, j.locked_at, j.attempts,
      j.max_attempts
    from courier_queue.jobs j
  ), live as not materialized (
    select q.worker, q.id as number, q.task,
      case
        when q.locked_at is not null then 'running'
        when q.attempts >= q.max_attempts then 'failed'
        else 'queued'
      end as state,
      q.attempts::integer as attempts,
      -- Waiting begins when the job is due, not when it was enqueued.
      case when q.run_at <= now() then greatest(q.run_at, q.created_at) else q.created_at end
        as created_at,
      q.run_at as due_at, q.locked_at as started_at, null::timestamptz as finished_at,
      coalesce(q.locked_at, now()) as waited_until, now() as ran_until, (
        select r.error from maintenance_runs r
        where r.job_id = q.id and r.worker = q.worker
        order by r.id desc
        limit 1) as error,
      true as is_open
    from queued q
  ), recorded as not materialized (
    -- The last run of a job that has left the queue.
    select r.worker, r.job_id as number, r.task,
      case when r.error is null then 'done' else 'failed' end as state, (
        select count(*)::integer from maintenance_runs o
        where o.job_id = r.job_id and o.worker = r.worker) as attempts,
      r.due_at as created_at, null::timestamptz as due_at, r.started_at, r.finished_at,
      r.started_at as waited_until, r.finished_at as ran_until, r.error, false as is_open
    from maintenance_runs r
    where not exists (
        select from maintenance_runs o
        where o.job_id = r.job_id and o.worker = r.worker and o.id > r.id)
      and not exists (
        select from worker_queue.jobs j where r.worker = 'worker' and j.id = r.job_id)
      and not exists (
        select from courier_queue.jobs j where r.worker = 'courier' and j.id = r.job_id)
  )
  select 'maintenance'::text as kind, m.worker || ':' || m.number as id, m.task, m.state,
    null::text as account, 'the panel'::text as asked_by, m.attempts, m.created_at, m.due_at,
    m.started_at, m.finished_at,
    extract(epoch from m.waited_until - m.created_at) * 1000 as waited_ms,
    extract(epoch from m.ran_until - m.started_at) * 1000 as ran_ms, m.error,
    null::bytea as refusal, null::text as behind,
    null::uuid as uuid, m.number, m.is_open, not m.is_open as is_ended,
    -- Jobs in a queue are not searched by their error.
    concat_ws(' ', m.task, m.worker || ':' || m.number,
      case when m.finished_at is not null then m.error end) as words,
    null::bigint, null::bigint, null::text, null::uuid, null::boolean
  from (select * from live union all select * from recorded) m;
$$;
