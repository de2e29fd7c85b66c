import { all, type Db } from '../../db.ts'
import { maintenanceTasks } from './job-tasks.ts'

// The processes that execute jobs, and the current job of each.

export type WorkerJob = {
  /** Null if one entry represents several jobs of a queue (deliveries). */
  id: string | null
  task: string
  account: string | null
  ran_ms: number
}

export type Worker = { name: 'worker' | 'courier'; started_at: Date; jobs: WorkerJob[] }

/** Returns the running workers. */
export const listWorkers = (db: Db) => all<Worker>(db)`
  select name, started_at, jobs from panel.list_workers(${maintenanceTasks})`
