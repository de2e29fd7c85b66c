import { anyFirst, type Db, sql, oneFirst } from '../../db.ts'

// The queries of `panel ctl doctor` about queues and operations.

const columns = sql`id, task_identifier, run_at, created_at, locked_at, locked_by, attempts,
  max_attempts, queue_name`
const jobs = sql`(
  select 'worker:' || id as name, ${columns} from worker_queue.jobs
  union all
  select 'courier:' || id, ${columns} from courier_queue.jobs) j`

// The name of a job in `panel jobs`.
const job = sql`task_identifier || ' ' || name`

/** Lists jobs that have used up their attempts. */
export const listFailedJobs = (db: Db) => anyFirst<string>(db)`
  select ${job} from ${jobs}
  where attempts >= max_attempts and locked_at is null
  order by id`

/** Returns for how many seconds the oldest due job has not been fetched. */
export const oldestDueJob = (db: Db) => oneFirst<number>(db)`
  -- A job may have been due long before it was enqueued.
  select coalesce(extract(epoch from now() - min(greatest(run_at, created_at))), 0)::float8
  from ${jobs}
  where locked_at is null and attempts < max_attempts and run_at <= now()
    and queue_name is null`

/** Lists jobs locked for at least this long by workers whose process is gone. */
export const listOrphanedJobs = (db: Db, seconds: number) => anyFirst<string>(db)`
  select ${job} from ${jobs}
  where locked_at < now() - make_interval(secs => ${seconds})
    and not panel.is_alive('pool', locked_by)
  order by id`

/** Lists jobs that have run for at least this long. */
export const listSlowJobs = (db: Db, seconds: number) => anyFirst<string>(db)`
  select ${job} from ${jobs}
  where locked_at < now() - make_interval(secs => ${seconds})
    and panel.is_alive('pool', locked_by)
  order by id`

const operation = sql`coalesce(name, 'operation') || ' ' || coalesce(username, id::text)`

/** Lists unfinished operations that were requested at least this long ago. */
export const listOldOperations = (db: Db, seconds: number) => anyFirst<string>(db)`
  select ${operation} || ' (' || state || ')' from panel.operations o
  -- An operation that stays claimed was added outside the API.
  where state in ('claimed', 'blocked', 'queued', 'running', 'undoing')
    and created_at < now() - make_interval(secs => ${seconds})
    -- Excludes operations that wait for a paused task, and those behind them.
    and not exists (
      select from panel.operations p join panel.paused_tasks t on t.task = p.name
      where p.lane = o.lane and p.state in ('blocked', 'queued'))
  order by arrival`

/** Lists operations whose worker has died repeatedly. */
export const listInterrupted = (db: Db) => anyFirst<string>(db)`
  select ${operation} || ' (' || starts || ' starts)' from panel.operations
  where state in ('queued', 'running', 'undoing') and starts >= 3
  order by arrival`

/** Lists blocked operations with nothing before them in their lane. */
export const listBlockedByNothing = (db: Db, seconds: number) => anyFirst<string>(db)`
  select ${operation} from panel.operations p
  where p.state = 'blocked' and p.created_at < now() - make_interval(secs => ${seconds})
    and not exists (
      select from panel.operations o
      where o.lane = p.lane and o.state in ('queued', 'running', 'undoing'))
  order by p.arrival`

export const listFailedOperations = (db: Db) => anyFirst<string>(db)`
  select ${operation} || ': ' || coalesce(error, 'no reason') from panel.operations o
  where state = 'failed' and not is_cancelled and finished_at > now() - interval '1 day'
    -- An internal operation that was requested again is represented by the later one.
    and not exists (
      select from panel.operations r
      where r.name = o.name and r.username = o.username and r.state = 'done' and r.status < 300
        and r.finished_at > o.finished_at)
  order by finished_at desc`

/** Lists scheduled jobs that have not run for 3 hours although the worker was running. */
export const listMissedTurns = (db: Db) => anyFirst<string>(db)`
  select identifier from worker_queue._private_known_crontabs
  where coalesce(last_execution, known_since) < now() - interval '3 hours'
    -- A worker that has just started has not run them yet.
    and exists (
      select from panel.processes
      where name = 'worker' and started_at < now() - interval '2 hours')
  order by identifier`

export const listFailedScripts = (db: Db) => anyFirst<string>(db)`
  select distinct path || ' (' || outcome || ')' as name from panel.script_runs
  -- A script that was run again is represented by its last run.
  where outcome in ('failed', 'timed_out') and not is_repeated
    and started_at > now() - interval '1 day'
  order by name`
