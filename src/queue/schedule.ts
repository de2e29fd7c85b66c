import { parseCronItems, type ParsedCronItem } from 'graphile-worker'
import type { JobName } from './job-list.ts'

// What the root worker does by the clock (UTC). A turn that fails is logged and left to the next
// one; a turn that comes while the last one is at work waits for its end, and no two wait.

export type Schedule = ParsedCronItem[]

type Turns = { job: JobName; match: string }

export const scheduled: Turns[] = [
  { job: 'usage/disk', match: '*/15 * * * *' },
  { job: 'usage/bandwidth', match: '* * * * *' },
  // Not at the hour, when everybody's clocks strike.
  { job: 'maintenance/purge', match: '17 * * * *' },
  { job: 'maintenance/empty-trash', match: '37 * * * *' },
]

/** The schedule as the queue reads it; it keeps the list, so each worker gets one of its own. */
export const schedule = (): Schedule =>
  parseCronItems(
    scheduled.map(({ job, match }) => ({
      task: job,
      match,
      identifier: job,
      options: {
        // Turns that were missed have nothing to make up for: each does all that is due.
        backfillPeriod: 0,
        // A worker that is killed at it leaves it to its successor, but not for ever.
        maxAttempts: 3,
        // Replaces what waits, a turn that has failed for good included; runs one after another.
        jobKey: job,
        jobKeyMode: 'replace',
        queueName: job,
      },
    })),
  )
