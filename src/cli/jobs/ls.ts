import { Command, Option } from 'clipanion'
import { z } from 'zod'
import { type Job, JobFilter, list, states } from '../../model/jobs.ts'
import { listPaused } from '../../model/paused-tasks.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords, wholeNumber } from '../words.ts'
import { duration, pausedWords, stateOf } from './job-words.ts'

const Words = z.object({
  '--state': z.enum(states, `must be one of ${states.join(', ')}`).optional(),
  '--task': JobFilter.shape.task,
  '--account': JobFilter.shape.account,
  '--limit': wholeNumber.pipe(JobFilter.shape.limit),
})

const columns = [
  ...['ID', 'TASK', 'STATE', 'ACCOUNT', 'TRIES', 'WAITED', 'RAN'],
  ...['CREATED', 'ASKED BY', 'ERROR'],
]

export class JobsLsCommand extends DatabaseCommand {
  static override paths = [['jobs', 'ls']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'list what was asked for, the newest first',
    details: `
      These are the requests of the API and what the panel asks of itself, the deliveries of
      webhooks, the runs of hook scripts, and maintenance.

      A job is parked until it is its turn, queued until a worker takes it, running, undoing what
      has failed; or it has ended: done, refused (its caller got 4xx), failed (5xx, or its last
      try failed), cancelled. Requests are kept for 24 hours, maintenance for 7 days, all else for
      30 days.
    `,
    examples: [
      ['List the latest', '$0 jobs ls'],
      ['List what has failed', '$0 jobs ls --state failed'],
      [
        'List the suspensions of an account for a script',
        '$0 jobs ls --account alice --task account/suspend --json',
      ],
    ],
  })

  state = Option.String('--state', { description: `only those that are ${inWords(states)}` })
  task = Option.String('--task', { description: 'only those of one kind, as account/create' })
  account = Option.String('--account', { description: 'only those about this account' })
  limit = Option.String('--limit', '50', { description: 'how many at most: 1 to 1000' })

  async act(): Promise<void> {
    const words = parseWords(Words, {
      '--state': this.state,
      '--task': this.task,
      '--account': this.account,
      '--limit': this.limit,
    })
    const { db } = await this.open()
    const state = words['--state']
    const jobs = await list(db, {
      states: state === undefined ? undefined : [state],
      task: words['--task'],
      account: words['--account'],
      limit: words['--limit'],
    })
    const paused = await listPaused(db)
    this.show({ jobs, paused }, table(columns, jobs.map(toRow)))
    if (paused.length > 0) this.tell(pausedWords(paused))
  }
}

const toRow = (job: Job) => [
  job.id,
  job.task,
  stateOf(job),
  job.account,
  job.tries,
  duration(job.waited_ms),
  duration(job.ran_ms),
  job.created_at,
  job.asked_by,
  job.error,
]

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
