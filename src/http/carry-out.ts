import { transaction, type Pool, type Transaction } from '../db.ts'
import { isRefusal, PanelError, statusByCode } from '../errors.ts'
import * as operations from '../model/operations.ts'
import type { Answer, Claim, Job } from '../model/operations.ts'
import * as requestJobs from '../model/request-jobs.ts'
import { identify } from './idempotency-key.ts'
import type { Outcomes } from './outcomes.ts'
import { readPreference } from './preference.ts'
import { json, type Reply } from './reply.ts'
import type { ApiRequest } from './request.ts'
import { seal, unseal } from './sealed.ts'

// The only place that claims, waits and replays (architecture, The path of one request).

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

/** An answer that needs no work; one with a secret in it is sealed for the caller. */
export const answer = (status: number, value: unknown, { isSealed = false } = {}): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
  location: null,
  isSealed,
})

export const performWith =
  (pool: Pool, outcomes: Outcomes): Perform =>
  async (request, judge, prepare) => {
    const identity = identify(request)
    if (prepare !== undefined) {
      const seen = await operations.peek(pool, identity)
      if (seen !== undefined) return repeat(seen, request)
    }
    const prepared = await settle(async () => prepare?.())

    let watch: Watch | undefined
    let id = ''
    try {
      const begun = await transaction(pool, async (client, alongside) => {
        const claim = await operations.claim(client, identity)
        if (claim.outcome !== 'new') return repeat(claim, request)
        const judged = await refusable(async () => judge(client, prepared() as never))
        if ('status' in judged) {
          alongside(operations.answer(client, claim.id, sealed(judged, request)))
          return toReply(judged)
        }
        id = claim.id
        watch = outcomes.watch(id, claim.epoch)
        alongside(operations.begin(client, claim.id, judged))
        return undefined
      })
      return begun ?? (await outcomeOf(pool, request, id, watch!, outcomes))
    } finally {
      watch?.end()
    }
  }

type Watch = ReturnType<Outcomes['watch']>

async function outcomeOf(
  pool: Pool,
  request: ApiRequest,
  id: string,
  watch: Watch,
  outcomes: Outcomes,
): Promise<Reply> {
  const { waitMs, isAsync, applied } = readPreference(request.headers['prefer'])
  const headers = applied === undefined ? {} : { 'preference-applied': applied }
  // «At once» is a 202 also where the work is already done.
  const outcome = waitMs === 0 && isAsync ? undefined : await watch.within(waitMs)
  if (outcome !== undefined) {
    const reply =
      outcome.state === 'done' ? toReply(outcome.answer) : json(500, { error: whyFailed(outcome) })
    return { ...reply, headers: { ...reply.headers, ...headers } }
  }
  if (outcomes.isReleased && !isAsync) {
    throw new PanelError('unavailable', 'The panel is restarting; repeat the same request')
  }
  if (!isAsync) {
    throw new PanelError('timed_out', 'The work goes on; repeat the same request for its answer')
  }
  const job = await requestJobs.get(pool, request.caller.tokenId, id, body => body)
  return json(202, job, { location: `/api/v1/jobs/${id}`, ...headers })
}

// The reason of a failure is the administrator's; a repeat starts anew.
const whyFailed = ({ isCancelled }: { isCancelled: boolean }): string =>
  isCancelled
    ? 'An administrator cancelled the request before it began; nothing was done, it may be repeated'
    : 'The operation failed and was undone; it may be tried again'

// What a request under this key may not do, or has done before.
function repeat(claim: Claim, request: ApiRequest): Reply {
  if (claim.outcome === 'done') {
    const reply = toReply(unsealed(claim.answer, request))
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

async function refusable<T>(judge: () => Promise<T>): Promise<T | Answer> {
  try {
    return await judge()
  } catch (error) {
    if (!isRefusal(error)) throw error
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

const sealed = (plain: Answer, { token }: ApiRequest): Answer =>
  plain.isSealed ? { ...plain, body: seal(plain.body, token) } : plain

const unsealed = (stored: Answer, { token }: ApiRequest): Answer =>
  stored.isSealed ? { ...stored, body: unseal(stored.body, token) } : stored

const toReply = ({ status, body, location }: Answer): Reply => ({
  ...json(status, null),
  body,
  headers: { 'content-type': 'application/json', ...(location === null ? {} : { location }) },
})
