import { Command, Option } from 'clipanion'
import { type JobStep, listSteps } from '../../model/job-steps.ts'
import { get, type Job } from '../../model/jobs.ts'
import { fields, table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'
import { parseWords } from '../words.ts'
import { duration, IdWord, stateOf } from './job-words.ts'

const columns = ['STEP', 'AFTER', 'TOOK', 'OUTCOME', 'ERROR']

export class JobsShowCommand extends DatabaseCommand {
  static override paths = [['jobs', 'show']]
  static override usage = Command.Usage({
    category: 'Jobs',
    description: 'show a job, with its steps and their times',
    details: `
      Of a request these are its steps on the machine: those of its last start, if it was
      interrupted. While it runs its worker is asked, which tells those until now. Of a delivery and
      of maintenance they are the tries, of a hook run its scripts.
    `,
    examples: [
      ['Show a request', '$0 jobs show 6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11'],
      ['Show the hook scripts of an event for a script', '$0 jobs show hook:17 --json'],
    ],
  })

  id = Option.String({ name: 'ID' })

  async act(): Promise<void> {
    const { ID: id } = parseWords(IdWord, { ID: this.id })
    const { db } = await this.open()
    const job = await get(db, id)
    const steps = await listSteps(db, job)
    const rows = steps.length === 0 ? '' : `\n${table(columns, steps.map(toRow))}`
    this.show({ ...job, steps }, `${toFields(job)}${rows}`)
  }
}

const toFields = (job: Job): string =>
  fields({
    id: job.id,
    kind: job.kind,
    task: job.task,
    state: stateOf(job),
    account: job.account,
    'asked by': job.asked_by,
    tries: job.tries,
    created: job.created_at,
    due: job.due_at,
    started: job.started_at,
    finished: job.finished_at,
    waited: duration(job.waited_ms),
    ran: duration(job.ran_ms),
    error: job.error,
  })

const toRow = ({ name, at_ms, ms, outcome, error }: JobStep) => [
  name,
  duration(at_ms),
  duration(ms),
  outcome,
  error,
]
