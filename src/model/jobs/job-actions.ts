import type { z } from 'zod'
import { anyFirst, count, type Db, one, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import * as deliveryRecords from '../events/delivery-records.ts'
import { get, type Job, type JobFilter, list, ownId, unknownJob } from './jobs.ts'

// Retrying and cancelling jobs. The transitions are SQL functions that take the locks; this file
// turns their outcomes into sentences.

/**
 * Queues a failed job again; returns the job that does the work now, which may be a new one.
 *
 * @param as the id of a new job: repeated with the same id, only one is created
 */
export async function retry(
  db: Db,
  id: string,
  as?: string,
): Promise<{ id: string; retry_of: string }> {
  const job = await get(db, id)
  const { outcome, next } = await retryOf[job.kind](db, job, as)
  if (outcome === 'due') return { id: next, retry_of: job.id }
  throw outcome === null
    ? unknownJob(id)
    : new PanelError('invalid', `${titleOf(job)} ${whyNoRetry[outcome] ?? outcome}`)
}

/**
 * Cancels a job that has not started. Its caller gets the answer that nothing was done.
 *
 * @throws {PanelError} `invalid`, with the reason, if it has started or ended, or would be queued
 *   again
 */
export async function cancel(db: Db, id: string): Promise<Job> {
  const job = await get(db, id)
  if (job.kind === 'maintenance') {
    const words = 'would be queued again: pause its task instead'
    throw new PanelError('invalid', `${titleOf(job)} ${words}`)
  }
  const outcome = await oneFirst<string | null>(db)`
    select ${cancelFunctions[job.kind]}(${ownId(job.id)})`
  if (outcome === 'cancelled') return get(db, job.id)
  throw outcome === null
    ? unknownJob(id)
    : new PanelError('invalid', `${titleOf(job)} ${whyNoCancel[outcome] ?? outcome}`)
}

type Selection = Omit<z.infer<typeof JobFilter>, 'limit'>

// More would take minutes; the rest is selected by the next call.
const maxAtOnce = 10_000

/** Jobs to act on, and how many of them can be acted on now. */
export type Selected = { jobs: Job[]; possible: number }

/** Lists failed jobs, without the deliveries that were already sent again. */
export async function listRetryable(
  db: Db,
  { states = ['failed'], ...by }: Selection,
): Promise<Selected> {
  const all = await list(db, { ...by, states, limit: maxAtOnce })
  const repeated = await anyFirst<string>(db)`
    select redelivery_of from panel.deliveries
    where redelivery_of = any (${idsOf(all, 'delivery')})`
  const isOver = ({ kind, finished_at }: Job) => kind === 'maintenance' && finished_at !== null
  const isRepeated = new Set(repeated)
  const jobs = all.filter(job => !isOver(job) && !isRepeated.has(job.id))
  const tried = jobs.filter(
    ({ kind, state, attempts }) => kind === 'maintenance' && state !== 'running' && attempts > 0,
  )
  const others = await oneFirst<number>(db)`
    select panel.count_repeatable_jobs(${idsOf(jobs, 'request')}, ${idsOf(jobs, 'delivery')},
      ${idsOf(jobs, 'hook run')})`
  return { jobs, possible: tried.length + others }
}

/** Lists waiting jobs, without those that would be queued again automatically. */
export async function listCancellable(
  db: Db,
  { states = ['blocked', 'queued'], ...by }: Selection,
): Promise<Selected> {
  const all = await list(db, { ...by, states, limit: maxAtOnce })
  const jobs = all.filter(({ kind }) => kind !== 'maintenance')
  const waiting = jobs.filter(({ state }) => state === 'blocked' || state === 'queued')
  const internal = await count(db)`
    select from panel.operations where id = any (${idsOf(waiting, 'request')}) and key is null`
  return { jobs, possible: waiting.length - internal }
}

const idsOf = (jobs: readonly Job[], which: Job['kind']): string[] =>
  jobs.flatMap(({ kind, id }) => (kind === which ? ownId(id) : []))

type Tried = { outcome: string | null; next: string }

const retryOf: Record<Job['kind'], (db: Db, job: Job, as?: string) => Promise<Tried>> = {
  request: (db, { id }) => one<Tried>(db)`
    select outcome, coalesce(id, ${id}) as next from panel.retry_operation(${id})`,
  delivery: async (db, { id, state }, as) => {
    if (state === 'done') return { outcome: 'delivered', next: id }
    return { outcome: 'due', next: await deliveryRecords.redeliver(db, id, as) }
  },
  'hook run': (db, { id }) => one<Tried>(db)`
    select panel.retry_hook_run(${ownId(id)}) as outcome, ${id} as next`,
  maintenance: async (db, { id, finished_at }) => {
    if (finished_at !== null) return { outcome: 'over', next: id }
    const [worker, jobId] = id.split(':')
    return one<Tried>(db)`
      select panel.retry_maintenance(${worker}, ${jobId}) as outcome, ${id} as next`
  },
}

const cancelFunctions = {
  request: sql`panel.cancel_operation`,
  delivery: sql`panel.cancel_delivery`,
  'hook run': sql`panel.cancel_hook_run`,
}

const titleOf = ({ kind, id }: Job): string => `The ${kind} ${id}`

const whyNoRetry: Record<string, string> = {
  waiting: 'is still waiting for its turn',
  begun: 'is in progress',
  answered: 'was answered: its caller can repeat it, with a new key to do the work again',
  failed: 'was reported as failed: its caller can repeat it with the same Idempotency-Key',
  again: 'is retried automatically',
  gone: 'was for an account that no longer exists',
  delivered: 'was delivered: `panel webhook redeliver` sends it once more',
  succeeded: 'has succeeded',
  over: 'has finished; its task runs again on schedule',
}

const whyNoCancel: Record<string, string> = {
  begun: 'has started and cannot be interrupted',
  ended: 'has ended',
  internal: 'was requested by the panel, which would request it again: pause its task instead',
}
