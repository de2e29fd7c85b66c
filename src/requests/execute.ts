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

// Claims, decides, executes and waits for a write, the same way for every channel, from values to
// values: each channel renders the outcome for its callers.

export type Ask<Desired> = {
  caller: Caller
  keys: CallerKeys
  /** The Idempotency-Key; without one a request is never a repeat. */
  key: string | undefined
  fingerprint: Buffer
  /** The request as text, for lists; null if its channel provides none. */
  words: string | null
  /** Parses the input by its grammar; a refusal is recorded like any other. */
  parse: () => Desired
  /** Checks whether the caller may send requests at all; this refusal is not recorded. */
  check?: (() => Promise<void>) | undefined
  /** The maximum time to wait for the work; 0 does not check whether it is already done. */
  waitMs: number
}

export type Outcome =
  | { is: 'answered'; answer: Answer; isReplay: boolean }
  | { is: 'failed'; id: string; isCancelled: boolean }
  /** The wait is over before the work is, or the process is about to stop. */
  | { is: 'in progress'; id: string; isStopping: boolean }
  /** The first request with this key is still running, or was a different one. */
  | { is: 'busy' | 'mismatch'; id: string }

export type Execute = <Desired>(write: Write<Desired>, ask: Ask<Desired>) => Promise<Outcome>

export const executeWith =
  (pool: Pool, outcomes: Outcomes, rules: Rules): Execute =>
  async (write, { caller, keys, key, fingerprint, words, parse, check, waitMs }) => {
    const { id: callerId, address } = caller
    const own = key ?? `none:${randomUUID()}`
    const request = { callerId, key: own, fingerprint, words, address }
    const replay = (claim: Claim) => replayOf(claim, keys)
    const find = async () => {
      const seen = await operations.lookUp(pool, request)
      return seen.outcome === 'new' ? undefined : replay(seen)
    }
    if (write.prepare !== undefined || check !== undefined) {
      const seen = await find()
      if (seen !== undefined) return seen
    }
    try {
      await check?.()
    } catch (error) {
      // The first request has just changed what it is checked against, such as the password.
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

// Throws without recording anything, so that a repeat can still be executed.
function refuseWaiting(error: { code?: unknown }): never {
  if (error.code !== 'WAIT5') throw error
  const words = 'Five changes of this account are waiting already; try again when some are done'
  throw new PanelError('rate_limited', words, { cause: error })
}

// Returns the outcome of a key that was used before.
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

// Returns the requested name, even if no account has it; null if it could not be read or is
// invalid.
function usernameIn(desired: () => unknown): string | null {
  try {
    const { username } = desired() as { username?: unknown }
    return userName.safeParse(username).data ?? null
  } catch {
    return null
  }
}

// The maximum length in the row, in characters.
const maxSubject = 500

// Returns the subject of a write; null if it could not be read.
function subjectOf<Desired>({ subject }: Write<Desired>, desired: () => Desired): string | null {
  try {
    // An unknown name may have any length, and contain characters that PostgreSQL refuses.
    return subject?.(desired())?.replaceAll('\0', '').slice(0, maxSubject) ?? null
  } catch {
    return null
  }
}

/** Runs the work now; returns a function that returns or throws its outcome. */
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
