import type { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import * as deliveryRecords from './delivery-records.ts'
import { get, type Job, type JobFilter, list, ownId, unknownJob } from './jobs.ts'

// Retrying and cancelling jobs. The transitions are SQL functions with the locks that they need;
// here their outcomes become sentences.

/** Makes a failed job due again; returns the job that does it now, which may be another one. */
export async function retry(db: Db, id: string): Promise<{ id: string; retry_of: string }> {
  const job = await get(db, id)
  const { outcome, next } = await retryOf[job.kind](db, job)
  if (outcome === 'due') return { id: next, retry_of: job.id }
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
    [ownId(job.id)],
  )
  const outcome = rows[0]?.outcome ?? null
  if (outcome === 'cancelled') return get(db, job.id)
  throw outcome === null
    ? unknownJob(id)
    : new PanelError('invalid', `${titleOf(job)} ${whyNoCancel[outcome] ?? outcome}`)
}

type Selection = Omit<z.infer<typeof JobFilter>, 'limit'>

// More would take minutes; what is left is selected the next time.
const mostAtOnce = 10_000

/** Failed jobs, without the deliveries that were sent again already. */
export async function listRetryable(
  db: Db,
  { states = ['failed'], ...by }: Selection,
): Promise<Job[]> {
  const jobs = await list(db, { ...by, states, limit: mostAtOnce })
  const { rows } = await db.query<{ id: string }>(
    'select redelivery_of as id from panel.deliveries where redelivery_of = any ($1)',
    [jobs.flatMap(({ kind, id }) => (kind === 'delivery' ? id : []))],
  )
  const isOver = ({ kind, finished_at }: Job) => kind === 'maintenance' && finished_at !== null
  const repeated = new Set(rows.map(({ id }) => id))
  return jobs.filter(job => !isOver(job) && !repeated.has(job.id))
}

/** Jobs that wait, without those that would come again by themselves. */
export async function listCancellable(
  db: Db,
  { states = ['parked', 'queued'], ...by }: Selection,
): Promise<Job[]> {
  const jobs = await list(db, { ...by, states, limit: mostAtOnce })
  return jobs.filter(({ kind }) => kind !== 'maintenance')
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
  again: 'is tried again by itself',
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
