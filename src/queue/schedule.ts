import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { parseCronItems, type ParsedCronItem } from 'graphile-worker'
import { resourceTurns } from '../model/operations/resource-kinds.ts'
import { type JobName, jobs, type WorkerName } from './job-list.ts'

// The jobs that run on a schedule (UTC). A failed run is logged and left to the next one. A run
// that is due during the previous one waits for its end; at most one waits.

export type Schedule = ParsedCronItem[]

type Turns = { job: JobName; match: string }

export const scheduled: Turns[] = [
  { job: 'usage/disk', match: '*/15 * * * *' },
  { job: 'usage/bandwidth', match: '* * * * *' },
  { job: 'maintenance/snapshot', match: '* * * * *' },
  { job: 'maintenance/own-certificate', match: '* * * * *' },
  { job: 'mail/check-domains', match: '* * * * *' },
  { job: 'mail/send-notices', match: '* * * * *' },
  // Not on the hour, when most servers run their jobs.
  ...Object.entries(resourceTurns).map(([job, match]) => ({ job: job as JobName, match })),
  { job: 'maintenance/purge', match: '17 * * * *' },
  { job: 'maintenance/empty-trash', match: '37 * * * *' },
  { job: 'maintenance/homes', match: '13,43 * * * *' },
  // Each server has its own time, because all of them call one address.
  { job: 'maintenance/find-update', match: `${ownNumber(60)} ${ownNumber(24)} * * *` },
]

/** Returns a number below the limit that is always the same for this machine. */
function ownNumber(limit: number): number {
  return createHash('sha256').update(`${hostname()} ${limit}`).digest().readUInt16BE() % limit
}

/**
 * Returns the schedule of a worker in the queue's form, as a new list, because the queue keeps it.
 */
export const schedule = (worker: WorkerName): Schedule =>
  parseCronItems(
    ownTurns(worker).map(({ job, match }) => ({
      task: job,
      match,
      identifier: job,
      options: {
        // Missed runs need no repeat, because each run does everything that is due.
        backfillPeriod: 0,
        // A worker that is killed leaves the job to its successor, but not forever.
        maxAttempts: 3,
        // Replaces a waiting run, even one that has used up its attempts; runs never overlap.
        jobKey: job,
        jobKeyMode: 'replace',
        queueName: job,
      },
    })),
  )

const ownTurns = (worker: WorkerName): Turns[] =>
  scheduled.filter(({ job }) => jobs[job].worker === worker)
