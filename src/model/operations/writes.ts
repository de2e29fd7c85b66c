import type { Db } from '../../db.ts'
import { statusByCode, type PanelError } from '../../errors.ts'
import type { Caller } from '../signing-in/callers.ts'
import type { OperationName } from './operation-names.ts'
import type { Answer } from './operations.ts'

// What a write is, whichever channel asks for it.

/** What a process knows beside the rows when it judges. */
export type Rules = {
  /** @throws {PanelError} `license_invalid` without a license */
  maxAccounts: () => number
  /** Host names of the panel itself, which no account gets. */
  ownNames: readonly string[]
  /** What links are made from, never a Host header. */
  baseUrl: string
}

/** What the rows that concern a write say, of a wanted value that fits its grammar. */
type Asked<Desired> = { caller: Caller; desired: Desired }

export type Decidable<Desired, Found = undefined, Prepared = undefined> = Asked<Desired> & {
  found: Found
  prepared: Prepared
  /** The operation's. */
  id: string
  rules: Rules
}

/**
 * What comes of it: work for the worker in the account's lane, or the server's where there is none,
 * with what it wants changed; or an answer where rows are all that changes.
 */
export type Decision = { accountId: string | null } & ({ params: object } | { answer: Answer })

export type Write<Desired, Found = unknown, Prepared = unknown> = {
  name: OperationName
  /** What of its account it is about, or why it is asked for, as the history says it: no secret. */
  subject?(desired: Desired): string | null | undefined
  /** Costly work that needs no transaction, left out for a repeat. */
  prepare?(desired: Desired): Promise<Prepared>
  /** Looks up what it is about; sent along with the claim. */
  find?(db: Db, asked: Asked<Desired>): Promise<Found>
  /**
   * Judges it inside the claim's transaction. A refusal is thrown, before anything is written, and
   * becomes the answer.
   */
  decide(db: Db, decidable: Decidable<Desired, Found, Prepared>): Promise<Decision>
}

/** Hides from the channels what a write finds and prepares for itself. */
export const write = <Desired, Found = undefined, Prepared = undefined>(
  definition: Write<Desired, Found, Prepared>,
): Write<Desired> => definition as unknown as Write<Desired>

/** An answer that needs no work; one with a secret in it is sealed for the caller. */
export const answer = (status: number, value: unknown, { isSealed = false } = {}): Answer => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
  location: null,
  reason: null,
  field: null,
  isSealed,
})

/** What a refusal is answered with, whoever has found it. */
export const refusal = ({ code, message, field }: PanelError): Answer => ({
  ...answer(statusByCode[code], { error: message }),
  reason: code,
  field: field ?? null,
})
