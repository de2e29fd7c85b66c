import { all, type Db, one, type Pool, oneFirst } from '../../db.ts'
import { type Job, ownId } from './jobs.ts'
import type { Step } from '../operations/operations.ts'
import { askSteps } from './running-steps.ts'

// The parts of a job: a request's steps on the machine, the attempts of a delivery or of
// maintenance, the scripts of a hook run.

export type JobStep = {
  /** The step or the hook script; null for an attempt, which has a number. */
  name: string | null
  number: number | null
  /**
   * The time since the job's start; for a request since its last start, which only its worker
   * knows.
   */
  at_ms: number
  /** The duration until now while it is in progress; null for a running hook script. */
  ms: number | null
  /** `done`, `failed` or `running`; that of a hook script; `answered` or `unanswered`. */
  outcome: string
  /** The status of a receiver's answer. */
  status: number | null
  /** Whether a hook script was run again after this run. */
  is_repeated: boolean
  error: string | null
  /** The output of a hook script, or the beginning of a receiver's answer. */
  output: string | null
}

/** A start of a request that was interrupted or failed and was followed by another. */
export type EarlierStart = { number: number; error: string; steps: JobStep[] }

/**
 * Lists the earlier starts of a request, the first and the latest; an interrupted start has no
 * steps.
 */
export async function listEarlierStarts(db: Db, { id }: Job): Promise<EarlierStart[]> {
  type Recorded = Omit<EarlierStart, 'steps'> & { steps: Step[] }
  const recorded = await oneFirst<Recorded[] | null>(db)`
    select earlier_starts from panel.show_operation_starts(${id})`
  return (recorded ?? []).map(({ number, error, steps }) => ({
    ...{ number, error },
    steps: steps.map(toJobStep),
  }))
}

/** Returns method and target of a request through the API; null for another channel. */
export const getRequest = (db: Db, { id }: Job) =>
  oneFirst<string | null>(db)`select request from panel.show_operation_starts(${id})`

/**
 * Returns the recorded steps in order; for a request in progress, those that its worker reports.
 */
export async function listSteps(db: Pool, job: Job): Promise<JobStep[]> {
  if (job.kind === 'request') return ofRequest(db, job)
  const rows = await all<Omit<JobStep, 'output'> & { output: Buffer | null }>(db)`
    select name, number, at_ms, ms, outcome, status, is_repeated, error, output
    from panel.list_job_parts(${job.kind}, ${ownId(job.id)})`
  return rows.map(row => ({ ...row, output: row.output?.toString() || null }))
}

export type Sent = { event: string; event_id: string; webhook_id: string; url: string }

/** Returns the event and the address of a delivery. */
export const getSent = (db: Db, { id }: Pick<Job, 'id'>) => one<Sent>(db)`
  select event, event_id, webhook_id, url from panel.show_delivery(${id})`

/** Returns the bytes that each attempt of a delivery sends. */
export const getBody = (db: Db, id: string) => oneFirst<Buffer>(db)`
  select body from panel.show_delivery(${id})`

async function ofRequest(db: Pool, { id, state }: Job): Promise<JobStep[]> {
  const isInProgress = state === 'running' || state === 'undoing'
  // Between two attempts no worker has the job, and the steps of the last attempt are recorded.
  const steps = (isInProgress ? await askSteps(db, id) : undefined) ?? (await recordedSteps(db, id))
  return steps.map(toJobStep)
}

const toJobStep = ({ step, at_ms, ms, failed, error, running }: Step): JobStep => ({
  ...{ name: step, number: null, at_ms, ms },
  ...{ outcome: failed ? 'failed' : running ? 'running' : 'done', status: null },
  ...{ is_repeated: false, error: error ?? null, output: null },
})

const recordedSteps = async (db: Pool, id: string) =>
  (await oneFirst<Step[] | null>(db)`select steps from panel.show_operation_starts(${id})`) ?? []
