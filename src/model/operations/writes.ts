import type { Db } from '../../db.ts'
import { statusByCode, type PanelError } from '../../errors.ts'
import type { Caller } from '../signing-in/callers.ts'
import type { OperationName } from './operation-names.ts'
import type { Answer } from './operations.ts'

// Writes, the same for every channel.

/** The facts, in addition to rows, that a process needs to decide. */
export type Rules = {
  /** @throws {PanelError} `license_invalid` without a license */
  maxAccounts: () => number
  /** Host names of the panel itself, which no account can have. */
  ownNames: readonly string[]
  /** The base of links, never taken from a Host header. */
  baseUrl: string
}

/** A caller and the validated input of a write. */
type Asked<Desired> = { caller: Caller; desired: Desired }

export type Decidable<Desired, Found = undefined, Prepared = undefined> = Asked<Desired> & {
  found: Found
  prepared: Prepared
  /** The operation's id. */
  id: string
  rules: Rules
}

/**
 * The outcome of a decision: work for the worker in the account's lane, or in the server's without
 * an account, with its params; or an answer if only rows change.
 */
export type Decision = { accountId: string | null } & ({ params: object } | { answer: Answer })

export type Write<Desired, Found = unknown, Prepared = unknown> = {
  name: OperationName
  /**
   * The subject in the history: the part of the account that it is about, or the reason; never a
   * secret.
   */
  subject?(desired: Desired): string | null | undefined
  /** Prepares costly values without a transaction; skipped for a repeat. */
  prepare?(desired: Desired): Promise<Prepared>
  /** Looks up what the write is about; sent along with the claim. */
  find?(db: Db, asked: Asked<Desired>): Promise<Found>
  /**
   * Decides inside the claim's transaction. A refusal is thrown before anything is written, and
   * becomes the answer.
   */
  decide(db: Db, decidable: Decidable<Desired, Found, Prepared>): Promise<Decision>
}

/** Hides from the channels the types that a write finds and prepares internally. */
export const write = <Desired, Found = undefined, Prepared = undefined>(
  definition: Write<Desired, Found, Prepared>,
): Write<Desired> => definition as unknown as Write<Desired>

/** Builds an answer that needs no work; an answer with a secret is encrypted for the caller. */
export const answer = (status: number, value: unknown, { isSealed = false } = {}): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
  location: null,
  reason: null,
  field: null,
  isSealed,
})

/** Returns the answer to a refusal. */
export const refusal = ({ code, message, field, errors }: PanelError): Answer => ({
  ...answer(statusByCode[code], { error: message, ...(errors.length > 0 && { errors }) }),
  reason: code,
  field: field ?? null,
})
