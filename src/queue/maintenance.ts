import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import { record } from '../model/maintenance-runs.ts'
import { isPaused } from '../model/paused-tasks.ts'
import type { WorkerName } from './job-list.ts'
import type { TaskOf } from './task.ts'
import { toWords } from './undo.ts'

/**
 * A task for whose jobs no row stands: each run that has ended is recorded, and none begins while
 * the task is paused. What is due then comes again, by the clock or by the sweeper.
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
        // What cannot be told of it changes nothing about the work.
      }).catch(failure => log.error('a run is not recorded', failure, { task }))
    try {
      await work(payload, helpers, given)
    } catch (error) {
      await end(toWords(error))
      throw error
    }
    await end(null)
  }
