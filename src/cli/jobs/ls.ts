import { Option } from 'clipanion'
import { z } from 'zod'
import { JobFilter, JobId, list } from '../../model/jobs/jobs.ts'
import { listPaused } from '../../model/jobs/paused-tasks.ts'
import { option } from '../completion/completers.ts'
import { wholeNumber } from '../words.ts'
import { FilteredCommand } from './filtered-command.ts'
import { jobTable } from './job-table.ts'
import { pausedWords } from './job-words.ts'

const Words = z.object({
  limit: wholeNumber.pipe(JobFilter.shape.limit),
  after: JobId.optional(),
})

export class JobsLsCommand extends FilteredCommand {
  static override summary = 'list jobs, newest first'
  static override details = `
    Jobs are API requests, the panel's own operations, webhook deliveries, hook script runs and
    maintenance.

    A job is blocked until its turn comes, queued until a worker takes it, running, or undoing a
    failure. At its end it is done, refused (its caller got a 4xx), failed (5xx, or its last
    attempt failed) or cancelled. The note is the error, or the job that a blocked one waits
    for. Commands accept shortened IDs. Requests are kept for 24 hours, maintenance for 7 days,
    all others for 30 days. A request that could not be parsed has no account.
  `
  static override examples = {
    'List the latest': '$0',
    'List failures since yesterday': '$0 --state failed --since 24h',
    'List requests that failed within the last hour':
      '$0 --state failed --kind request --ended-since 1h',
    'List waiting jobs that match a name': '$0 --state blocked,queued --search alice',
    'List the suspensions of an account for a script':
      '$0 --account alice --task account/suspend --json',
  }

  limit = Option.String('--limit', '50', {
    description: 'the maximum number of results: 1 to 1000',
  })
  after = option('--after', 'jobs', 'show jobs older than this one')

  async act(): Promise<void> {
    const { limit, after } = this.parse(Words)
    const filter = this.filter()
    const { db } = await this.open()
    const jobs = await list(db, { ...filter, limit, after })
    const next = jobs.length === limit ? (jobs.at(-1)?.id ?? null) : null
    const paused = await listPaused(db)
    this.show({ jobs, paused, next }, jobTable(jobs))
    if (next !== null) this.report(`there may be more: --after ${next}`)
    if (paused.length > 0) this.report(pausedWords(paused))
  }
}
