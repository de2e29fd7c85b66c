import type { Db } from '../db.ts'
import { statusByCode, type PanelError } from '../errors.ts'
import type { Caller } from './callers.ts'
import type { OperationName } from './operation-names.ts'
import type { Answer } from './operations.ts'

// What a write is, whichever door asks for it.

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
type Asked<Wanted> = { caller: Caller; wanted: Wanted }

export type Judged<Wanted, Found = undefined, Prepared = undefined> = Asked<Wanted> & {
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
export type Verdict = { accountId: string | null } & ({ wants: object } | { answer: Answer })

export type Write<Wanted, Found = unknown, Prepared = unknown> = {
  name: OperationName
  /** What of its account it is about, or why it is asked for, as the history says it: no secret. */
  subject?(wanted: Wanted): string | null | undefined
  /** Costly work that needs no transaction, left out for a repeat. */
  prepare?(wanted: Wanted): Promise<Prepared>
  /** Looks up what it is about; sent along with the claim. */
  find?(db: Db, asked: Asked<Wanted>): Promise<Found>
  /**
   * Judges it inside the claim's transaction. A refusal is thrown, before anything is written, and
   * becomes the answer.
   */
  judge(db: Db, judged: Judged<Wanted, Found, Prepared>): Promise<Verdict>
}

/** Hides from the doors what a write finds and prepares for itself. */
export const write = <Wanted, Found = undefined, Prepared = undefined>(
  definition: Write<Wanted, Found, Prepared>,
): Write<Wanted> => definition as unknown as Write<Wanted>

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
