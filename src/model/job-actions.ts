import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import * as deliveryRecords from './delivery-records.ts'
import { get, type Job, ownId, unknownJob } from './jobs.ts'

// Retrying and cancelling jobs. The transitions are SQL functions with the locks that they need;
// here their outcomes become sentences.

/** Makes a failed job due again; returns the id of the job that does it now. */
export async function retry(db: Db, id: string): Promise<string> {
  const job = await get(db, id)
  const { outcome, next } = await retryOf[job.kind](db, job)
  if (outcome === 'due') return next
  throw outcome === null
    ? unknownJob(id)
    : new PanelError('invalid', `${titleOf(job)} ${whyNoRetry[outcome] ?? outcome}`)
}

/**
 * Ends a job that has not begun. Its caller is answered that nothing was done.
 *
 * @throws {PanelError} `invalid`, with the reason, if it has begun or ended, or would come again
 */
export async function cancel(db: Db, id: string): Promise<Job> {
  const job = await get(db, id)
  if (job.kind === 'maintenance') {
    const words = 'would come again by itself: pause its task instead'
    throw new PanelError('invalid', `${titleOf(job)} ${words}`)
  }
  const { rows } = await db.query<{ outcome: string | null }>(
    `select panel.${cancelFunctions[job.kind]}($1) as outcome`,
    [ownId(id)],
  )
  const outcome = rows[0]?.outcome ?? null
  if (outcome === 'cancelled') return get(db, id)
  throw outcome === null
    ? unknownJob(id)
    : new PanelError('invalid', `${titleOf(job)} ${whyNoCancel[outcome] ?? outcome}`)
}

type Tried = { outcome: string | null; next: string }

const retryOf: Record<Job['kind'], (db: Db, job: Job) => Promise<Tried>> = {
  request: async (db, { id }) => {
    const { rows } = await db.query<{ outcome: string | null; id: string | null }>(
      'select outcome, id from panel.retry_operation($1)',
      [id],
    )
    return { outcome: rows[0]?.outcome ?? null, next: rows[0]?.id ?? id }
  },
  delivery: async (db, { id, state }) => {
    if (state === 'done') return { outcome: 'delivered', next: id }
    return { outcome: 'due', next: await deliveryRecords.redeliver(db, id) }
  },
  'hook run': (db, { id }) => outcomeOf(db, id, 'select panel.retry_hook_run($1) as outcome'),
  maintenance: async (db, { id, finished_at }) => {
    if (finished_at !== null) return { outcome: 'over', next: id }
    return outcomeOf(
      db,
      id,
      `select panel.retry_maintenance(split_part($1, ':', 1), split_part($1, ':', 2)::bigint)
         as outcome`,
    )
  },
}

async function outcomeOf(db: Db, id: string, statement: string): Promise<Tried> {
  const { rows } = await db.query<{ outcome: string | null }>(statement, [ownId(id)])
  return { outcome: rows[0]?.outcome ?? null, next: id }
}

const cancelFunctions = {
  request: 'cancel_operation',
  delivery: 'cancel_delivery',
  'hook run': 'cancel_hook_run',
} as const

const titleOf = ({ kind, id }: Job): string => `The ${kind} ${id}`

const whyNoRetry: Record<string, string> = {
  waiting: 'still waits for its turn',
  begun: 'is under way',
  answered: 'was answered: its caller repeats it, with a new key if something is to be done again',
  failed: 'was told to its caller as failed: the caller repeats it with the same Idempotency-Key',
  certificate: 'is tried again by itself',
  gone: 'was for an account that is gone',
  delivered: 'was delivered: `panel webhook redeliver` sends it once more',
  succeeded: 'has succeeded',
  over: 'is over; its task comes again by itself',
}

const whyNoCancel: Record<string, string> = {
  begun: 'has begun, and runs to its end',
  ended: 'has ended',
  internal: 'was asked for by the panel itself, which would ask again: pause its task instead',
}
