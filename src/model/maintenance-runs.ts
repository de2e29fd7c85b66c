import type { Db } from '../db.ts'

export type MaintenanceRun = {
  worker: 'worker' | 'courier'
  jobId: string
  task: string
  dueAt: Date
  ranMs: number
  /** Null if it succeeded. */
  error: string | null
}

export async function record(db: Db, run: MaintenanceRun): Promise<void> {
  await db.query({
    name: 'record_maintenance',
    text: 'select panel.record_maintenance($1, $2, $3, $4, $5, $6)',
    values: [run.worker, run.jobId, run.task, run.dueAt, run.ranMs, run.error],
  })
}
