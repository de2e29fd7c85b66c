import { between, type Filtered, filtered, type Source } from './job-sources.ts'
import { maintenanceTasks } from './job-tasks.ts'

// Maintenance has no table of its own: open jobs are read from the queues, ended ones from
// `maintenance_runs`. The queues' own error texts are not shown, because they are not redacted.

const names = maintenanceTasks.map(name => `'${name}'`).join()

const queued = (worker: 'worker' | 'courier'): string => `
  select '${worker}' as worker, id, task_identifier as task, run_at, created_at, locked_at,
    attempts, max_attempts
  from ${worker}_queue.jobs
  where task_identifier in (${names})`

const live = `
  select 'maintenance' as kind, q.worker || ':' || q.id as id, s.task, s.state,
    null as account, 'the panel' as asked_by, q.attempts::integer as tries, s.created_at,
    q.run_at as due_at, q.locked_at as started_at, null::timestamptz as finished_at,
    ${between('s.created_at', 'coalesce(q.locked_at, now())')} as waited_ms,
    ${between('q.locked_at', 'now()')} as ran_ms, (
      select r.error from panel.maintenance_runs r
      where r.job_id = q.id and r.worker = q.worker
      order by r.id desc
      limit 1) as error, null::bytea as refusal, null::text as behind
  from (${queued('worker')} union all ${queued('courier')}) q
  cross join lateral (
    select q.task,
      case
        when q.locked_at is not null then 'running'
        when q.attempts >= q.max_attempts then 'failed'
        else 'queued'
      end as state,
      -- Waiting begins when the job is due, not when it was made.
      case when q.run_at <= now() then greatest(q.run_at, q.created_at) else q.created_at end
        as created_at) s`

const recorded = `
  select 'maintenance' as kind, r.worker || ':' || r.job_id as id, s.task, s.state,
    null as account, 'the panel' as asked_by, (
      select count(*)::integer from panel.maintenance_runs o
      where o.job_id = r.job_id and o.worker = r.worker) as tries,
    r.due_at as created_at, null::timestamptz as due_at, r.started_at, r.finished_at,
    ${between('r.due_at', 'r.started_at')} as waited_ms,
    ${between('r.started_at', 'r.finished_at')} as ran_ms, r.error, null::bytea as refusal,
    null::text as behind
  from panel.maintenance_runs r
  cross join lateral (
    select r.task, case when r.error is null then 'done' else 'failed' end as state) s`

// The last run of a job that has left the queue.
const isLast = `not exists (
      select from panel.maintenance_runs o
      where o.job_id = r.job_id and o.worker = r.worker and o.id > r.id)
    and not exists (
      select from worker_queue.jobs j where r.worker = 'worker' and j.id = r.job_id)
    and not exists (
      select from courier_queue.jobs j where r.worker = 'courier' and j.id = r.job_id)`

const open: Filtered = {
  created: 's.created_at',
  id: "q.worker || ':' || q.id",
  account: 'false',
  searched: "q.worker || ':' || q.id",
}
const ended: Filtered = {
  created: 'r.due_at',
  id: "r.worker || ':' || r.job_id",
  account: 'false',
  searched: "r.worker || ':' || r.job_id, r.error",
}

export const maintenance: Source = {
  one: `select * from (
    (${live} where q.worker || ':' || q.id = $1)
    union all (${recorded} where ${isLast}
      and r.job_id = split_part($1, ':', 2)::bigint and r.worker = split_part($1, ':', 1))) m`,
  open: `${live} ${filtered('true', open)}`,
  ended: `${recorded} ${filtered(isLast, ended)}`,
}
