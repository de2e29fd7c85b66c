-- Maintenance as jobs (list_request_jobs.sql). It has no table of its own: open jobs are read from
-- the queues, ended ones from `maintenance_runs`. The queues' own error texts are not shown,
-- because they are not redacted.
create or replace function panel.list_maintenance_jobs(
  -- The tasks that only the queues know.
  p_tasks text[],
  p_id text default null,
  p_is_open boolean default null,
  p_states text[] default null,
  p_task text default null,
  p_account text default null,
  p_limit integer default null,
  p_since timestamptz default null,
  p_search text default null,
  p_after_at timestamptz default null,
  p_after_id text default null,
  p_ended_since timestamptz default null
)
returns setof panel.job
language plpgsql stable security definer set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  with queued as not materialized (
    select 'worker' as worker, j.id, j.task_identifier as task, j.run_at, j.created_at, j.locked_at,
      j.attempts, j.max_attempts
    from worker_queue.jobs j
    where j.task_identifier = any (p_tasks)
    union all
    select 'courier', j.id, j.task_identifier, j.run_at, j.created_at, j.locked_at, j.attempts,
      j.max_attempts
    from courier_queue.jobs j
    where j.task_identifier = any (p_tasks)
  ), live as not materialized (
    select q.worker || ':' || q.id as id, q.task,
      case
        when q.locked_at is not null then 'running'
        when q.attempts >= q.max_attempts then 'failed'
        else 'queued'
      end as state,
      q.attempts::integer as tries,
      -- Waiting begins when the job is due, not when it was made.
      case when q.run_at <= now() then greatest(q.run_at, q.created_at) else q.created_at end
        as created_at,
      q.run_at as due_at, q.locked_at as started_at, null::timestamptz as finished_at,
      coalesce(q.locked_at, now()) as waited_until, now() as ran_until, (
        select r.error from maintenance_runs r
        where r.job_id = q.id and r.worker = q.worker
        order by r.id desc
        limit 1) as error
    from queued q
    where p_is_open is not false
  ), recorded as not materialized (
    -- The last run of a job that has left the queue.
    select r.worker || ':' || r.job_id as id, r.task,
      case when r.error is null then 'done' else 'failed' end as state, (
        select count(*)::integer from maintenance_runs o
        where o.job_id = r.job_id and o.worker = r.worker) as tries,
      r.due_at as created_at, null::timestamptz as due_at, r.started_at, r.finished_at,
      r.started_at as waited_until, r.finished_at as ran_until, r.error
    from maintenance_runs r
    where p_is_open is not true
      and (p_id is null or r.job_id = split_part(p_id, ':', 2)::bigint)
      and not exists (
        select from maintenance_runs o
        where o.job_id = r.job_id and o.worker = r.worker and o.id > r.id)
      and not exists (
        select from worker_queue.jobs j where r.worker = 'worker' and j.id = r.job_id)
      and not exists (
        select from courier_queue.jobs j where r.worker = 'courier' and j.id = r.job_id)
  )
  select 'maintenance', m.id, m.task, m.state, null::text, 'the panel', m.tries, m.created_at,
    m.due_at, m.started_at, m.finished_at,
    round(extract(epoch from m.waited_until - m.created_at) * 1000)::float8,
    round(extract(epoch from m.ran_until - m.started_at) * 1000)::float8,
    m.error, null::bytea, null::text
  from (select * from live union all select * from recorded) m
  where (p_id is null or m.id = p_id)
    and (p_states is null or m.state = any (p_states))
    and (p_task is null or m.task = p_task)
    and p_account is null
    and (p_since is null or m.created_at >= p_since)
    and (p_ended_since is null or m.finished_at >= p_ended_since)
    and (p_after_at is null or m.created_at <= p_after_at
      and (m.created_at < p_after_at or m.id > p_after_id))
    and (p_search is null
      -- What is in a queue is not searched for its error.
      or position(p_search in lower(concat_ws(' ', m.task, m.id,
        case when m.finished_at is not null then m.error end))) > 0)
  order by m.created_at desc, m.id
  limit p_limit;
end;
$$;
grant execute on function panel.list_maintenance_jobs to panel_api;
