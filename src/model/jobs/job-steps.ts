import { all, type Db, one, type Pool, oneFirst } from '../../db.ts'
import { type Job, ownId } from './jobs.ts'
import type { Step } from '../operations/operations.ts'
import { askSteps } from './running-steps.ts'

// The parts of a job: a request's steps on the machine, the attempts of a delivery or of
// maintenance, the scripts of a hook run.

export type JobStep = {
  name: string
  /** Since the job's start; of a request since its last start, which only its worker knows. */
  at_ms: number
  /** Until now, while it runs; null for a running hook script. */
  ms: number | null
  /** Whether it has done what it is for. */
  is_good: boolean
  outcome: string
  error: string | null
  /** What a hook script has written, or the beginning of what a receiver has answered. */
  output: string | null
}

/** A start of a request that has come to nothing, and was followed by another. */
export type EarlierStart = { number: number; error: string; steps: JobStep[] }

/** Those of a request, the first and the latest; an interrupted one has no steps. */
export async function listEarlierStarts(db: Db, { id }: Job): Promise<EarlierStart[]> {
  type Recorded = Omit<EarlierStart, 'steps'> & { steps: Step[] }
  const recorded = await oneFirst<Recorded[] | null>(db)`
    select earlier_starts from panel.show_operation_starts(${id})`
  return (recorded ?? []).map(({ number, error, steps }) => ({
    ...{ number, error },
    steps: steps.map(toJobStep),
  }))
}

/** Method and target of a request by the API; null where it came by another channel. */
export const getRequest = (db: Db, { id }: Job) =>
  oneFirst<string | null>(db)`select request from panel.show_operation_starts(${id})`

/** The recorded steps in order; for a request in progress those that its worker reports. */
export async function listSteps(db: Pool, job: Job): Promise<JobStep[]> {
  if (job.kind === 'request') return ofRequest(db, job)
  const rows = await all<Omit<JobStep, 'output'> & { output: Buffer | null }>(db)`
    select name, at_ms, ms, is_good, outcome, error, output
    from panel.list_job_parts(${job.kind}, ${ownId(job.id)})`
  return rows.map(row => ({ ...row, output: row.output?.toString() || null }))
}

export type Sent = { event: string; event_id: string; webhook_id: string; url: string }

/** What a delivery sends, and where to. */
export const getSent = (db: Db, { id }: Pick<Job, 'id'>) => one<Sent>(db)`
  select event, event_id, webhook_id, url from panel.show_delivery(${id})`

/** The bytes that each of its attempts sends. */
export const getBody = (db: Db, id: string) => oneFirst<Buffer>(db)`
  select body from panel.show_delivery(${id})`

async function ofRequest(db: Pool, { id, state }: Job): Promise<JobStep[]> {
  const isInProgress = state === 'running' || state === 'undoing'
  // Between two attempts no worker has the job, and the last attempt's steps are recorded.
  const steps = (isInProgress ? await askSteps(db, id) : undefined) ?? (await recordedSteps(db, id))
  return steps.map(toJobStep)
}

const toJobStep = ({ step, at_ms, ms, failed, error, running }: Step): JobStep => ({
  ...{ name: step, at_ms, ms },
  is_good: !failed && !running,
  ...{ outcome: failed ? 'failed' : running ? 'running' : 'done' },
  ...{ error: error ?? null, output: null },
})

const recordedSteps = async (db: Pool, id: string) =>
  (await oneFirst<Step[] | null>(db)`select steps from panel.show_operation_starts(${id})`) ?? []
