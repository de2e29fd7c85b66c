import type { CronJob } from '../../model/cron-jobs/cron-jobs.ts'
import { fields } from '../columns.ts'

/** Formats a cron job for people. */
export const cronWords = ({ id, schedule, in_words, command, ...job }: CronJob) =>
  fields({
    ...{ id, schedule, runs: in_words, command },
    ...(job.is_too_frequent && { limit: 'starts more often than the package allows' }),
    running: job.running_since && `since ${job.running_since}`,
    'last run': job.last_run?.started_at ?? 'never',
    ...(job.last_run && {
      took: tookOf(job.last_run),
      'exit code': String(job.last_run.exit_code),
      output: job.last_run.output.trimEnd().split('\n').slice(-maxLines),
    }),
  })

// JSON has all of it.
const maxLines = 20

/** Returns how long a run took, in seconds. */
export const tookOf = ({ started_at, ended_at }: NonNullable<CronJob['last_run']>): string =>
  `${((Date.parse(ended_at) - Date.parse(started_at)) / 1_000).toFixed(1)} s`
