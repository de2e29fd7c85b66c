import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import { record } from '../model/jobs/maintenance-runs.ts'
import { isPaused } from '../model/jobs/paused-tasks.ts'
import type { WorkerName } from './job-list.ts'
import type { TaskOf } from './task.ts'
import { toWords } from './undo.ts'

/**
 * Wraps a task whose jobs have no rows of their own: each finished run is recorded, and none begins
 * while the task is paused. Work that is skipped is scheduled or swept again.
 */
export const recordRuns =
  <Given extends { pool: Pool }>(
    worker: WorkerName,
    task: string,
    work: TaskOf<Given>,
  ): TaskOf<Given> =>
  async (payload, helpers, given) => {
    const { job } = helpers
    if (await isPaused(given.pool, task)) return
    const dueAt = job.run_at > job.created_at ? job.run_at : job.created_at
    const began = performance.now()
    const end = (error: string | null) =>
      record(given.pool, {
        ...{ worker, jobId: job.id, task, dueAt, error },
        ranMs: Math.round(performance.now() - began),
        // A failed record must not fail the task.
      }).catch(failure => log.error('a run is not recorded', failure, { task }))
    try {
      await work(payload, helpers, given)
    } catch (error) {
      await end(toWords(error))
      throw error
    }
    await end(null)
  }
