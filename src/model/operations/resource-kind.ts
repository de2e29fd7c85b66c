import type { z } from 'zod'
import type { Sql } from '../../db.ts'
import type { OperationKind } from './operation-kind.ts'

/** A kind of resource that requests add to an account, change and delete. */
export type ResourceKind = {
  /** Its tables, each with `account_id`, `added_by` and `desired`; referring ones come first. */
  tables: readonly string[]
  /** The SQL function that restores rows to their state before an operation. */
  restore?: string
  /** The SQL function that completes rows when an operation ends, instead of the default. */
  complete?: string
  operations: Record<string, OperationKind>
  /** The labels of operations on pages, where the default does not fit. */
  labels?: Record<string, string>
  /** The labels of its operations in the history, by the first word of their names. */
  themes?: Record<string, string>
  /** Its part of the account's record, which the API's role may read. */
  record?: RecordPart
  /** Rows that only the worker's role reads. */
  secretRows?: SecretRows
  /** Its part of an account for the machine, built from the secret rows if it has any. */
  host?: HostPart<never, z.ZodRawShape>
  /** SQL expressions of warnings (JSON objects, or '[]'), by the aliases of `record_functions`. */
  warnings?: readonly string[]
  /** Its part of an account on the machine (src/host), and whether a suspension changes it. */
  part?: { name: string; isSuspended: boolean }
  /** Scheduled tasks of the worker (UTC), with their times in crontab(5) syntax. */
  scheduled?: Record<string, string>
  /** The path of its page that takes a file of any size, as a regular expression. */
  upload?: string
  /** The names by which a search finds it: rows with `name` and `account_id`. */
  suggested?: { kind: string; rows: Sql }
  /** Words for shell completion, by the word before them on the command line. */
  words?: Record<string, (before: string) => Sql>
  /** The events of its removal with a terminated account: name, and data without the username. */
  deletions?: (record: never, account: never) => readonly (readonly [string, object])[]
  /** Its refusal codes (src/errors.ts), each with its status and meaning. */
  refusals?: Record<string, readonly [status: 400 | 404, meaning: string]>
  /** The events of the specification that it raises. */
  events: Record<string, EventKind>
}

/** Rows as JSON under a key: a query of one value for the account `a`. */
type Rows = { key: string; sql: string }

/** An account without any has an empty list. */
export type RecordPart = Rows & { schema: z.ZodType }

/** An account without any has none; `p_may_wait` means that changes to services may be deferred. */
export type SecretRows = Rows

/**
 * The part for the machine, parsed again because root reads every row as hostile. `of` selects from
 * the rows, which are null for an account without any, and leaves out empty parts.
 */
export type HostPart<Given, Shape extends z.ZodRawShape> = {
  shape: Shape
  of(rows: Given, username: string): object
}

/** Returns the warning of accounts that use a part whose service is not running. */
export const serviceWarning = (part: string, isUsed: string): string =>
  `case when v.service_warnings ? '${part}' and ${isUsed}
      then jsonb_build_object('code', '${part}_down', 'sentence', v.service_warnings ->> '${part}')
      else '[]' end`

/** When an event is raised, its data, and an example for the reference and for test events. */
export type EventKind<Data extends z.ZodType = z.ZodType> = {
  when: string
  data: Data
  example: z.input<Data>
}

/** Describes an event; the type check ensures that the example matches. */
export const eventKind = <Data extends z.ZodType>(
  when: string,
  data: Data,
  example: z.input<Data>,
): EventKind<Data> => ({ when, data, example })
