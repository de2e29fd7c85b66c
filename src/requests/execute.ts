import { randomUUID } from 'node:crypto'
import { transaction, type Pool } from '../db.ts'
import { isRefusal, PanelError } from '../errors.ts'
import { requireRole, type Caller } from '../model/signing-in/callers.ts'
import { userName } from '../model/grammar/grammar.ts'
import * as operations from '../model/operations/operations.ts'
import type { Answer, Claim } from '../model/operations/operations.ts'
import { refusal, type Rules, type Write } from '../model/operations/writes.ts'
import type { CallerKeys } from './caller-keys.ts'
import type { Outcomes } from './outcomes.ts'

// The one way in which a write is claimed, judged, executed and waited for, from values to
// values: how they look to the caller is the channel's affair.

export type Ask<Desired> = {
  caller: Caller
  keys: CallerKeys
  /** The Idempotency-Key; without one a request is never a repeat. */
  key: string | undefined
  fingerprint: Buffer
  /** What the request looked like, for lists; null where its channel says nothing of it. */
  words: string | null
  /** What is wanted, by its grammar; a refusal is recorded like any other. */
  parse: () => Desired
  /** Whether the caller may ask at all; of a refusal nothing is recorded. */
  check?: (() => Promise<void>) | undefined
  /** How long to wait for the work, at most; 0 does not look whether it is done already. */
  waitMs: number
}

export type Outcome =
  | { is: 'answered'; answer: Answer; isReplay: boolean }
  | { is: 'failed'; id: string; isCancelled: boolean }
  /** The wait is over and the work is not, or the process is about to stop. */
  | { is: 'in progress'; id: string; isStopping: boolean }
  /** The first request with this key is still running, or was another one. */
  | { is: 'busy' | 'mismatch'; id: string }

export type CarryOut = <Desired>(write: Write<Desired>, ask: Ask<Desired>) => Promise<Outcome>

export const executeWith =
  (pool: Pool, outcomes: Outcomes, rules: Rules): CarryOut =>
  async (write, { caller, keys, key, fingerprint, words, parse, check, waitMs }) => {
    const { id: callerId, address } = caller
    const own = key ?? `none:${randomUUID()}`
    const request = { callerId, key: own, fingerprint, words, address }
    const replay = (claim: Claim) => replayOf(claim, keys)
    const find = async () => {
      const seen = await operations.look(pool, request)
      return seen.outcome === 'new' ? undefined : replay(seen)
    }
    if (write.prepare !== undefined || check !== undefined) {
      const seen = await find()
      if (seen !== undefined) return seen
    }
    try {
      await check?.()
    } catch (error) {
      // The first has just changed what it is judged by, as the password.
      const first = await find()
      if (first === undefined) throw error
      return first
    }
    const desired = await capture(async () => parse())
    const prepared = await capture(async () => write.prepare?.(desired()))

    const subject = subjectOf(write, desired)

    let watch: ReturnType<Outcomes['watch']> | undefined
    let id = ''
    try {
      const answered = await transaction(pool, async (client, alongside) => {
        const claiming = operations.claim(client, { ...request, subject })
        const finding = capture(async () => write.find?.(client, { caller, desired: desired() }))
        const claim = await claiming
        if (claim.outcome !== 'new') return replay(claim)
        id = claim.id
        const found = await finding
        const verdict = await refusable(async () => {
          requireRole(caller, write.name)
          const given = { caller, desired: desired(), prepared: prepared(), found: found() }
          return write.decide(client, { ...given, id, rules })
        })
        if ('params' in verdict) {
          watch = outcomes.watch(id, claim.epoch)
          const { accountId, params } = verdict
          alongside(
            operations.begin(client, id, write.name, accountId, params).catch(refuseWaiting),
          )
          return undefined
        }
        const { accountId, answer } = verdict
        const kept = answer.isSealed ? { ...answer, body: keys.seal(answer.body) } : answer
        const about = usernameIn(desired)
        alongside(operations.answer(client, id, write.name, accountId, about, kept))
        return { is: 'answered', answer, isReplay: false } as const
      })
      if (answered !== undefined) return answered
      const outcome = waitMs === 0 ? undefined : await watch!.within(waitMs)
      if (outcome === undefined) return { is: 'in progress', id, isStopping: outcomes.isReleased }
      if (outcome.state === 'failed') return { is: 'failed', id, isCancelled: outcome.isCancelled }
      return { is: 'answered', answer: outcome.answer, isReplay: false }
    } finally {
      watch?.end()
    }
  }

// Nothing is recorded of it: later the same request may be executed.
function refuseWaiting(error: { code?: unknown }): never {
  if (error.code !== 'WAIT5') throw error
  const words = 'Five changes of this account are waiting already; try again when some are done'
  throw new PanelError('rate_limited', words, { cause: error })
}

// What a request under this key may not do, or has done before.
function replayOf(claim: Claim, { unseal }: CallerKeys): Outcome {
  const { id } = claim
  if (claim.outcome === 'mismatch') return { is: 'mismatch', id }
  if (claim.outcome !== 'done') return { is: 'busy', id }
  const { answer } = claim
  const body = answer.isSealed ? unseal(answer.body) : answer.body
  return { is: 'answered', answer: { ...answer, body }, isReplay: true }
}

async function refusable<T>(decide: () => Promise<T>) {
  try {
    return await decide()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { accountId: null, answer: refusal(error) }
  }
}

// Whose name it has, also where nobody is called so; null where it could not be read, or is none.
function usernameIn(desired: () => unknown): string | null {
  try {
    const { username } = desired() as { username?: unknown }
    return userName.safeParse(username).data ?? null
  } catch {
    return null
  }
}

// As the row allows, in characters.
const maxSubject = 500

// What it is about; null where it could not be read.
function subjectOf<Desired>({ subject }: Write<Desired>, desired: () => Desired): string | null {
  try {
    // A name that nobody has may be of any length, and hold what PostgreSQL does not take.
    return subject?.(desired())?.replaceAll('\0', '').slice(0, maxSubject) ?? null
  } catch {
    return null
  }
}

/** Runs now, and gives back or throws the outcome when it is asked for. */
async function capture<T>(work: () => Promise<T>): Promise<() => T> {
  try {
    const value = await work()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
