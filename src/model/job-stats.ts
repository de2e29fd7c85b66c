import type { Db } from '../db.ts'
import { maintenanceTasks } from './job-tasks.ts'
import { listWorkers, type Worker } from './job-workers.ts'
import { listPaused, type PausedTask } from './paused-tasks.ts'

// Statistics of the last hour, and what waits now.

/** How long half, 90 % and 99 % of the jobs took at most. */
export type Percentiles = { p50: number; p90: number; p99: number }

export type TaskStats = {
  task: string
  /** In the last hour. */
  ended: number
  /** Those of them that failed; refused and cancelled ones did not. */
  failed: number
  per_minute: number
  /** Null where none has ended. */
  waited_ms: Percentiles | null
  ran_ms: Percentiles | null
  /** Now. */
  waiting: number
  running: number
  oldest_waiting_ms: number | null
}

export type Stats = {
  /** All tasks together. */
  total: TaskStats
  tasks: TaskStats[]
  /** Jobs that ended in each of the last 60 minutes, the oldest minute first. */
  minutes: { ended: number; failed: number }[]
  paused: PausedTask[]
  /** Which processes are up. */
  processes: { worker: boolean; courier: boolean }
  workers: Worker[]
}

const names = maintenanceTasks.map(name => `'${name}'`).join()
const minutesAtMost = 60

// Percentiles are of the latest so many of each kind: more would hardly change them.
const mostTimed = 20_000

const lastHour = `finished_at > now() - interval '1 hour'`
const maintenance = `from panel.maintenance_runs where ${lastHour}`
const hookRuns = `from panel.hook_runs r where state = 'done' and ${lastHour}`
const operations = `from panel.operations where state in ('done', 'failed') and ${lastHour}`
// By the index on webhook and creation: deliveries made more than a day ago are left out.
const deliveries = `
  from panel.webhooks w join panel.deliveries d on d.webhook_id = w.id
  where d.created_at > now() - interval '1 day' and d.${lastHour}`

const ended = `
  select coalesce(name, 'request') as task, finished_at,
    state = 'failed' and not is_cancelled as is_failed
  ${operations}
  union all
  select 'webhook/deliver', d.finished_at, d.state = 'failed' ${deliveries}
  union all
  select 'hook/run', finished_at,
    not is_cancelled and (error is not null or exists (
      select from panel.script_runs s
      where s.event_id = r.event_id and not s.is_repeated
        and s.outcome in ('failed', 'timed_out', 'refused')))
  ${hookRuns}
  union all
  select task, finished_at, error is not null ${maintenance}`

const ms = (from: string, to: string): string => `date_part('epoch', ${to} - ${from}) * 1000`
const start = 'coalesce(started_at, finished_at)'
const latest = `order by finished_at desc limit ${mostTimed}`
const timed = `
  (select coalesce(name, 'request') as task, ${ms('created_at', start)} as waited,
    ${ms('started_at', 'finished_at')} as ran
  ${operations} ${latest})
  union all
  (select 'webhook/deliver', ${ms('d.created_at', 'coalesce(y.first, d.finished_at)')}, y.ms
  from (select d.id, d.created_at, d.finished_at ${deliveries} ${latest}) d
  cross join lateral (
    select min(y.started_at) as first, sum(y.duration_ms)::float8 as ms
    from panel.tries y where y.delivery_id = d.id) y)
  union all
  (select 'hook/run', ${ms('created_at', start)}, ${ms('started_at', 'finished_at')}
  ${hookRuns} ${latest})
  union all
  (select task, ${ms('due_at', 'started_at')}, ${ms('started_at', 'finished_at')}
  ${maintenance} ${latest})`

const open = `
  select name as task, state in ('running', 'undoing') as is_running, created_at
  from panel.operations where state in ('parked', 'queued', 'running', 'undoing')
  union all
  select 'webhook/deliver', coalesce(j.locked_at is not null, false), d.created_at
  from panel.deliveries d left join courier_queue.jobs j on j.id = d.queue_job_id
  where d.state = 'due'
  union all
  select 'hook/run', state = 'running', created_at from panel.hook_runs where state <> 'done'
  union all
  select task_identifier, locked_at is not null, greatest(run_at, created_at)
  from (
    select task_identifier, run_at, created_at, locked_at, attempts, max_attempts
    from worker_queue.jobs
    union all
    select task_identifier, run_at, created_at, locked_at, attempts, max_attempts
    from courier_queue.jobs) j
  where task_identifier in (${names}) and run_at <= now() and attempts < max_attempts`

const percentiles = (of: string): string =>
  `percentile_cont(array[0.5, 0.9, 0.99]) within group (order by ${of})`

type Row = Omit<TaskStats, 'waited_ms' | 'ran_ms' | 'per_minute' | 'task'> & {
  task: string | null
  waited: (number | null)[] | null
  ran: (number | null)[] | null
  minutes: Stats['minutes']
}

export async function read(db: Db): Promise<Stats> {
  const { rows } = await db.query<Row>(
    `with e as materialized (
       select task, is_failed, floor(date_part('epoch', now() - finished_at) / 60) as ago,
         count(*) as count
       from (${ended}) e group by task, is_failed, ago
     ), ended as (
       select task, sum(count)::int as ended,
         coalesce(sum(count) filter (where is_failed), 0)::int as failed
       from e group by grouping sets ((task), ())
     ), timed as (
       select task, ${percentiles('waited')} as waited, ${percentiles('ran')} as ran
       from (${timed}) t group by grouping sets ((task), ())
     ), open as (
       select task, (count(*) filter (where not is_running))::int as waiting,
         (count(*) filter (where is_running))::int as running,
         (extract(epoch from now() - min(created_at) filter (where not is_running)) * 1000)::float8
           as oldest_waiting_ms
       from (${open}) o group by grouping sets ((task), ())
     ), minutes as (
       select ago, coalesce(sum(e.count), 0) as ended,
         coalesce(sum(e.count) filter (where e.is_failed), 0) as failed
       from generate_series(0, $1::int - 1) as ago left join e using (ago)
       group by ago
     )
     select coalesce(e.task, o.task) as task, coalesce(e.ended, 0) as ended,
       coalesce(e.failed, 0) as failed, t.waited, t.ran, coalesce(o.waiting, 0) as waiting,
       coalesce(o.running, 0) as running, o.oldest_waiting_ms, (
         select json_agg(json_build_object('ended', m.ended, 'failed', m.failed) order by ago desc)
         from minutes m) as minutes
     from ended e
     left join timed t on coalesce(t.task, '') = coalesce(e.task, '')
     full join open o on coalesce(o.task, '') = coalesce(e.task, '')
     order by task nulls first`,
    [minutesAtMost],
  )
  const [total, ...tasks] = rows.map(toStats)
  const minutes = rows[0]!.minutes
  const [paused, workers] = [await listPaused(db), await listWorkers(db)]
  const isUp = (name: Worker['name']) => workers.some(worker => worker.name === name)
  const processes = { worker: isUp('worker'), courier: isUp('courier') }
  return { total: total!, tasks, minutes, paused, processes, workers }
}

function toStats({ task, waited, ran, minutes: _minutes, ...counts }: Row): TaskStats {
  return {
    task: task ?? 'all',
    ...counts,
    per_minute: Math.round((counts.ended / minutesAtMost) * 100) / 100,
    waited_ms: toPercentiles(waited),
    ran_ms: toPercentiles(ran),
  }
}

function toPercentiles(values: (number | null)[] | null): Percentiles | null {
  const [p50, p90, p99] = (values ?? []).map(value => value && Math.round(value * 10) / 10)
  if (p50 == null || p90 == null || p99 == null) return null
  return { p50, p90, p99 }
}
