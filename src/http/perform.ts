import { transaction, type Pool, type Transaction } from '../db.ts'
import { PanelError, statusByCode, type ErrorCode } from '../errors.ts'
import * as operations from '../model/operations.ts'
import type { Answer, Claim, Job } from '../model/operations.ts'
import { identify } from './idempotency-key.ts'
import type { Outcomes } from './outcomes.ts'
import { json, type Reply } from './reply.ts'
import type { ApiRequest } from './request.ts'

// The only place that claims, waits and replays (architecture, The path of one request).

/** How long a caller waits for the work before a 504; the work goes on (api.md, Waiting). */
const waitMs = 60_000

/**
 * Judges a request inside the claim's transaction: work for the worker, or an answer where rows
 * are all that changes. A refusal is thrown, before anything is written, and becomes the answer.
 */
export type Judge<Prepared> = (
  transaction: Transaction,
  prepared: Prepared,
) => Promise<Job | Answer>

export type Perform = <Prepared = undefined>(
  request: ApiRequest,
  judge: Judge<Prepared>,
  /** Costly work that needs no transaction, left out for a repeat. */
  prepare?: () => Promise<Prepared>,
) => Promise<Reply>

export const job = (name: Job['name'], accountId: string, wants: Job['wants'] = {}): Job => ({
  name,
  accountId,
  wants,
})

export const answer = (status: number, value: unknown, location: string | null = null): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
  location,
})

export const performWith =
  (pool: Pool, outcomes: Outcomes): Perform =>
  async (request, judge, prepare) => {
    const identity = identify(request)
    if (prepare !== undefined) {
      const seen = await operations.peek(pool, identity)
      if (seen !== undefined) return repeat(seen)
    }
    const prepared = await settle(async () => prepare?.())

    let watch: ReturnType<Outcomes['watch']> | undefined
    try {
      const begun = await transaction(pool, async client => {
        const claim = await operations.claim(client, identity)
        if (claim.outcome !== 'new') return repeat(claim)
        const judged = await refusable(async () => judge(client, prepared() as never))
        if ('status' in judged) {
          await operations.answer(client, claim.id, judged)
          return toReply(judged)
        }
        watch = outcomes.watch(claim.id, claim.epoch)
        await operations.begin(client, claim.id, judged)
        return undefined
      })
      return begun ?? toReply(await outcomeOf(watch!))
    } finally {
      watch?.end()
    }
  }

async function outcomeOf(watch: ReturnType<Outcomes['watch']>): Promise<Answer> {
  const outcome = await watch.within(waitMs)
  if (outcome === undefined) {
    throw new PanelError('timed_out', 'The work goes on; repeat the same request for its answer')
  }
  if (outcome.state === 'done') return outcome.answer
  // The reason is the administrator's; a repeat starts anew.
  return answer(500, { error: 'The operation failed and was undone; it may be tried again' })
}

// What a request under this key may not do, or has done before.
function repeat(claim: Claim): Reply {
  if (claim.outcome === 'done') {
    const reply = toReply(claim.answer)
    return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } }
  }
  if (claim.outcome === 'mismatch') {
    throw new PanelError('invalid', 'This Idempotency-Key belongs to another request')
  }
  throw new PanelError(
    'busy',
    'The first request with this Idempotency-Key is still running; repeat it later',
  )
}

// Refusals that come from judging a request are its answer; all others say nothing about it.
const recordable: ErrorCode[] = ['invalid', 'license_limit', 'forbidden', 'not_found']

async function refusable<T>(judge: () => Promise<T>): Promise<T | Answer> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof PanelError) || !recordable.includes(error.code)) throw error
    return answer(statusByCode[error.code], { error: error.message })
  }
}

/** Runs now, and gives back or throws the outcome when it is asked for. */
async function settle<T>(work: () => Promise<T>): Promise<() => T> {
  try {
    const value = await work()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

const toReply = ({ status, body, location }: Answer): Reply => ({
  ...json(status, null),
  body,
  headers: { 'content-type': 'application/json', ...(location === null ? {} : { location }) },
})
