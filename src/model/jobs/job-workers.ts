import { all, type Db } from '../../db.ts'
import { maintenanceTasks } from './job-tasks.ts'

// The processes that execute jobs, and what each of them does now.

export type WorkerJob = {
  /** Null where several jobs of a queue stand for one (deliveries). */
  id: string | null
  task: string
  account: string | null
  ran_ms: number
}

export type Worker = { name: 'worker' | 'courier'; started_at: Date; jobs: WorkerJob[] }

/** Those that are up. */
export const listWorkers = (db: Db) => all<Worker>(db)`
  select name, started_at, jobs from panel.list_workers(${maintenanceTasks})`
