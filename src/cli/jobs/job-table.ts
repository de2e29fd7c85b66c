import type { Job } from '../../model/jobs/jobs.ts'
import { type Layout, table } from '../columns.ts'
import { duration } from '../times.ts'
import { stateOf } from './job-words.ts'

const columns = 'ID,STATE,TASK,ACCOUNT,CREATED,RAN,WAITED,ATTEMPTS,ASKED BY,NOTE'.split(',')

/** Jobs, a line for each; what has failed in red, with its error. */
export const jobTable = (jobs: readonly Job[]): Layout =>
  table(columns, jobs.map(toRow), {
    minColumns: 4,
    hasRemark: true,
    isBad: row => jobs[row]?.state === 'failed',
  })

const toRow = (job: Job) => [
  job.id,
  stateOf(job),
  job.task,
  job.account,
  job.created_at,
  duration(job.ran_ms),
  duration(job.waited_ms),
  job.attempts,
  job.asked_by,
  job.error ?? (job.waits_for === null ? null : `waits for ${job.waits_for}`),
]
