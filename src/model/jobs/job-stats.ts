import { all, type Db } from '../../db.ts'
import { maintenanceTasks } from './job-tasks.ts'
import { listWorkers, type Worker } from './job-workers.ts'
import { listPaused, type PausedTask } from './paused-tasks.ts'

// Statistics of the last hour, and the number of waiting jobs.

/** The maximum duration of the fastest 50, 90, 95 and 99 % of the jobs. */
export type Percentiles = { p50: number; p90: number; p95: number; p99: number }

export type TaskStats = {
  task: string
  /** Jobs that ended in the last hour. */
  ended: number
  /** Failed jobs; refused and cancelled jobs do not count. */
  failed: number
  per_minute: number
  /** Null if none has ended. */
  waited_ms: Percentiles | null
  ran_ms: Percentiles | null
  /** Jobs that wait now. */
  waiting: number
  running: number
  oldest_waiting_ms: number | null
}

export type Stats = {
  /** The sums over all tasks. */
  total: TaskStats
  tasks: TaskStats[]
  /** Jobs that ended in each of the last 60 minutes, the oldest minute first. */
  minutes: { ended: number; failed: number }[]
  paused: PausedTask[]
  /** The kinds of processes that are running. */
  processes: { worker: boolean; courier: boolean }
  workers: Worker[]
}

const countedMinutes = 60
const parts = [0.5, 0.9, 0.95, 0.99]

type Row = Omit<TaskStats, 'waited_ms' | 'ran_ms' | 'per_minute' | 'task'> & {
  task: string | null
  waited: (number | null)[] | null
  ran: (number | null)[] | null
  minutes: Stats['minutes']
}

export async function read(db: Db): Promise<Stats> {
  const rows = await all<Row>(db)`
    select task, ended, failed, waited, ran, waiting, running, oldest_waiting_ms, minutes
    from panel.show_job_stats(${maintenanceTasks}, ${parts})`
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
    per_minute: Math.round((counts.ended / countedMinutes) * 100) / 100,
    waited_ms: toPercentiles(waited),
    ran_ms: toPercentiles(ran),
  }
}

function toPercentiles(values: (number | null)[] | null): Percentiles | null {
  const [p50, p90, p95, p99] = (values ?? []).map(value => value && Math.round(value * 10) / 10)
  if (p50 == null || p90 == null || p95 == null || p99 == null) return null
  return { p50, p90, p95, p99 }
}
