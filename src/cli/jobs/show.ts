import {
  type EarlierStart,
  getRequest,
  getSent,
  type JobStep,
  listEarlierStarts,
  listSteps,
  type Sent,
} from '../../model/jobs/job-steps.ts'
import { get, type Job } from '../../model/jobs/jobs.ts'
import { fields, type Layout, table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { lines, oneLine } from '../foreign-text.ts'
import { duration } from '../times.ts'
import { IdWord, partName, partOutcome, stateOf } from './job-words.ts'

export class JobsShowCommand extends DatabaseCommand {
  static override summary = 'show a job and its timed steps'
  static override details = `
    For a request, shows the steps of its latest start on the machine, and how each earlier
    start ended. While it runs, the worker is asked for the steps so far. For deliveries and
    maintenance, shows the attempts, with the start of each response; for a hook run, its
    scripts and the end of their output.
  `
  static override examples = {
    'Show a request': '$0 6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11',
    'Show the hook scripts of an event for a script': '$0 hook:17 --json',
  }

  id = argument('ID', 'jobs')

  async act(): Promise<void> {
    const { id } = this.parse(IdWord)
    const { db } = await this.open()
    const job = await get(db, id)
    const steps = await listSteps(db, job)
    const sent = job.kind === 'delivery' ? await getSent(db, job) : undefined
    const earlier = job.kind === 'request' ? await listEarlierStarts(db, job) : []
    const request = job.kind === 'request' ? await getRequest(db, job) : undefined
    const more = job.kind === 'request' ? { request, earlier_starts: earlier } : sent
    this.show({ ...job, ...more, steps }, display =>
      [
        toFields(job, sent, request)(display),
        ...earlier.map(one => toStart(one)(display)),
        toTable(steps)(display),
      ]
        .concat(steps.map(toOutput))
        .filter(text => text !== '')
        .join('\n'),
    )
  }
}

const toFields = (job: Job, sent: Sent | undefined, request: string | null | undefined) =>
  fields({
    id: job.id,
    kind: job.kind,
    task: job.task,
    state: stateOf(job),
    ...(job.waits_for === null ? {} : { 'waits for': job.waits_for }),
    account: job.account,
    'asked by': job.asked_by,
    ...(request ? { request: oneLine(request) } : {}),
    ...(sent === undefined ? {} : { event: sent.event, webhook: sent.webhook_id, url: sent.url }),
    attempts: job.attempts,
    created: job.created_at,
    due: job.due_at,
    started: job.started_at,
    finished: job.finished_at,
    waited: duration(job.waited_ms),
    ran: duration(job.ran_ms),
    error: job.error,
  })

const toStart =
  ({ number, error, steps }: EarlierStart): Layout =>
  display =>
    fields({ [`start ${number}`]: error })(display) + toTable(steps)(display)

const toTable = (steps: readonly JobStep[]): Layout =>
  steps.length === 0
    ? () => ''
    : table(
        ['STEP', 'AFTER', 'TOOK', 'OUTCOME', 'ERROR'],
        steps.map(step => [
          ...[partName(step), duration(step.at_ms), duration(step.ms), partOutcome(step)],
          step.error,
        ]),
        { minColumns: 4, hasRemark: true, isBad: row => isFailed(steps[row]!) },
      )

const isFailed = ({ outcome, error }: JobStep): boolean => error !== null || outcome === 'failed'

const toOutput = (step: JobStep): string =>
  step.output === null
    ? ''
    : `${oneLine(partName(step))}:\n${lines(step.output)
        .replaceAll(/^(?=.)/gm, '    ')
        .trimEnd()}\n`
