import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { parseCronItems, type ParsedCronItem } from 'graphile-worker'
import { resourceTurns } from '../model/operations/resource-kinds.ts'
import { type JobName, jobs, type WorkerName } from './job-list.ts'

// The jobs that run on a schedule (UTC). A failed turn is logged and left to the next
// one. A turn that comes while the last one runs waits for its end; at most one waits.

export type Schedule = ParsedCronItem[]

type Turns = { job: JobName; match: string }

export const scheduled: Turns[] = [
  { job: 'usage/disk', match: '*/15 * * * *' },
  { job: 'usage/bandwidth', match: '* * * * *' },
  { job: 'usage/databases', match: '* * * * *' },
  { job: 'maintenance/snapshot', match: '* * * * *' },
  { job: 'maintenance/own-certificate', match: '* * * * *' },
  // Not on the hour, when everybody's jobs run.
  ...Object.entries(resourceTurns).map(([job, match]) => ({ job: job as JobName, match })),
  { job: 'maintenance/purge', match: '17 * * * *' },
  { job: 'maintenance/empty-trash', match: '37 * * * *' },
  { job: 'maintenance/homes', match: '13,43 * * * *' },
  // Each server at a time of its own: all of them ask in one place.
  { job: 'maintenance/find-update', match: `${ownNumber(60)} ${ownNumber(24)} * * *` },
]

/** Below this one, and always the same for this machine. */
function ownNumber(limit: number): number {
  return createHash('sha256').update(`${hostname()} ${limit}`).digest().readUInt16BE() % limit
}

/** The schedule of a worker in the queue's form. The queue keeps the list, so each gets its own. */
export const schedule = (worker: WorkerName): Schedule =>
  parseCronItems(
    ownTurns(worker).map(({ job, match }) => ({
      task: job,
      match,
      identifier: job,
      options: {
        // Missed turns need no repeat, because each does all that is due.
        backfillPeriod: 0,
        // A worker that is killed leaves the job to its successor, but not for ever.
        maxAttempts: 3,
        // Replaces a waiting turn, also one that has failed for good; turns run one after another.
        jobKey: job,
        jobKeyMode: 'replace',
        queueName: job,
      },
    })),
  )

const ownTurns = (worker: WorkerName): Turns[] =>
  scheduled.filter(({ job }) => jobs[job].worker === worker)
