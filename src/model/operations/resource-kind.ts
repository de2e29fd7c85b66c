import type { z } from 'zod'
import type { OperationKind } from './operation-kind.ts'

/** A kind of things that requests add to an account, change and take away again. */
export type ResourceKind = {
  /** Its tables, each with `account_id`, `added_by` and `desired`; referring ones come first. */
  tables: readonly string[]
  /** Its SQL function that restores rows as they were before an operation. */
  restore?: string
  /** Its SQL function that completes rows when an operation ends, in place of the usual way. */
  complete?: string
  operations: Record<string, OperationKind>
  /** What pages call an operation, where its name does not say it well. */
  labels?: Record<string, string>
  /** What the history calls all of them, by the first word of their names. */
  themes?: Record<string, string>
  /** Its part of the account's record, which the API's role reads too. */
  record?: RecordPart
  /** Rows of it that only the worker's role reads. */
  secretRows?: SecretRows
  /** Its part of what the machine gets of an account, made of the rows of one of these two. */
  host?: HostPart<never, z.ZodRawShape>
  /** SQL expressions of warnings (JSON objects, or '[]'), by the aliases of `record_functions`. */
  warnings?: readonly string[]
  /** Its part of an account on the machine (src/host), and whether a suspension changes it. */
  part?: { name: string; isSuspended: boolean }
  /** Tasks of the worker that run by the clock (UTC), with their turns as crontab(5) has them. */
  scheduled?: Record<string, string>
  /** Its codes of refusals (src/errors.ts), each with its status and its meaning. */
  refusals?: Record<string, readonly [status: 400 | 404, meaning: string]>
  /** The events of the specification that it announces. */
  events: Record<string, EventKind>
}

/** Rows as JSON, by the name that they have: a query of one value, of the account `a`. */
type Rows = { key: string; sql: string }

/** An account without any has an empty list. */
export type RecordPart = Rows & { schema: z.ZodType }

/** An account without any has none; `p_may_wait` says that services may be left for later. */
export type SecretRows = Rows

/**
 * What the machine gets, parsed once more, because root reads every row as hostile. `of` selects
 * from the rows, null where there are none, and leaves out what the account does not have.
 */
export type HostPart<Given, Shape extends z.ZodRawShape> = {
  shape: Shape
  of(rows: Given, username: string): object
}

/** The data of an event, and an example for the reference and for test events. */
export type EventKind<Data extends z.ZodType = z.ZodType> = { data: Data; example: z.input<Data> }

/** Describes an event; the example has to fit. */
export const eventKind = <Data extends z.ZodType>(
  data: Data,
  example: z.input<Data>,
): EventKind<Data> => ({ data, example })
