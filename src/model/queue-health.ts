import type { Db } from '../db.ts'

// The queries of `panel ctl doctor` about queues and operations.

const both = (columns: string): string =>
  ['worker', 'courier']
    .map(worker => `select '${worker}:' || j.id as name, ${columns} from ${worker}_queue.jobs j`)
    .join(' union all ')

// A job as `panel jobs` names it.
const job = `task_identifier || ' ' || name as name`

/** Jobs that have used up their tries. */
export const listFailedJobs = (db: Db): Promise<string[]> =>
  names(
    db,
    `select ${job}
     from (${both('j.id, j.task_identifier, j.attempts, j.max_attempts, j.locked_at')}) j
     where attempts >= max_attempts and locked_at is null
     order by id`,
  )

/** For how many seconds the oldest due job has not been fetched. */
export async function oldestDueJob(db: Db): Promise<number> {
  // `run_at` may be long before the job was made.
  const due = 'greatest(run_at, created_at)'
  const columns = 'j.run_at, j.created_at, j.locked_at, j.attempts, j.max_attempts, j.queue_name'
  const { rows } = await db.query<{ seconds: number }>(
    `select coalesce(extract(epoch from now() - min(${due})), 0)::float8 as seconds
     from (${both(columns)}) j
     where locked_at is null and attempts < max_attempts and run_at <= now()
       and queue_name is null`,
  )
  return rows[0]!.seconds
}

/** Jobs locked for so long by workers whose process is gone. */
export const listOrphanedJobs = (db: Db, seconds: number): Promise<string[]> =>
  names(
    db,
    `select ${job}
     from (${both('j.id, j.task_identifier, j.locked_at, j.locked_by')}) j
     where locked_at < now() - make_interval(secs => $1) and not panel.is_pool_alive(locked_by)
     order by id`,
    [seconds],
  )

/** Jobs that have run for so long. */
export const listSlowJobs = (db: Db, seconds: number): Promise<string[]> =>
  names(
    db,
    `select ${job}
     from (${both('j.id, j.task_identifier, j.locked_at, j.locked_by')}) j
     where locked_at < now() - make_interval(secs => $1) and panel.is_pool_alive(locked_by)
     order by id`,
    [seconds],
  )

const operation = `coalesce(name, 'operation') || ' ' || coalesce(username, id::text)`

/** Operations that were asked for so long ago and have not ended. */
export const listOldOperations = (db: Db, seconds: number): Promise<string[]> =>
  names(
    db,
    `select ${operation} || ' (' || state || ')' as name from panel.operations o
     where state in ('parked', 'queued', 'running', 'undoing')
       and created_at < now() - make_interval(secs => $1)
       -- Not those that wait for a paused task, nor what is behind them.
       and not exists (
         select from panel.operations p join panel.paused_tasks t on t.task = p.name
         where p.account_id = o.account_id and p.state in ('parked', 'queued'))
     order by arrival`,
    [seconds],
  )

/** Operations whose worker has died repeatedly. */
export const listInterrupted = (db: Db): Promise<string[]> =>
  names(
    db,
    `select ${operation} || ' (' || starts || ' starts)' as name from panel.operations
     where state in ('queued', 'running', 'undoing') and starts >= 3
     order by arrival`,
  )

/** Parked operations with none before them in their lane. */
export const listParkedBehindNothing = (db: Db, seconds: number): Promise<string[]> =>
  names(
    db,
    `select ${operation} as name from panel.operations p
     where p.state = 'parked' and p.created_at < now() - make_interval(secs => $1)
       and not exists (
         select from panel.operations o
         where o.account_id = p.account_id and o.state in ('queued', 'running', 'undoing'))
     order by p.arrival`,
    [seconds],
  )

export const listFailedOperations = (db: Db): Promise<string[]> =>
  names(
    db,
    `select ${operation} || ': ' || coalesce(error, 'no reason') as name from panel.operations
     where state = 'failed' and finished_at > now() - interval '1 day'
     order by finished_at desc`,
  )

/** Scheduled jobs that have not run for 3 hours although the worker was up. */
export const listMissedTurns = (db: Db): Promise<string[]> =>
  names(
    db,
    `select identifier as name from worker_queue._private_known_crontabs
     where coalesce(last_execution, known_since) < now() - interval '3 hours'
       -- One that was started a moment ago has yet to come to it.
       and exists (
         select from panel.processes
         where name = 'worker' and started_at < now() - interval '2 hours')
     order by identifier`,
  )

export const listFailedScripts = (db: Db): Promise<string[]> =>
  names(
    db,
    `select distinct path || ' (' || outcome || ')' as name from panel.script_runs
     -- What was retried is judged by its last run.
     where outcome in ('failed', 'timed_out') and not is_repeated
       and started_at > now() - interval '1 day'
     order by name`,
  )

async function names(db: Db, text: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(text, values)
  return rows.map(({ name }) => name)
}
