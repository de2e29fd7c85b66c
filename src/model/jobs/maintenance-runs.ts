import { type Db, run } from '../../db.ts'

export type MaintenanceRun = {
  worker: 'worker' | 'courier'
  jobId: string
  task: string
  dueAt: Date
  ranMs: number
  /** Null if it succeeded. */
  error: string | null
}

export const record = (db: Db, { worker, jobId, task, dueAt, ranMs, error }: MaintenanceRun) =>
  run(db, 'record_maintenance')`
    select panel.record_maintenance(
      ${worker}, ${jobId}, ${task}, ${dueAt}, ${ranMs}, ${error})`
