import type { z } from 'zod'
import type { OperationKind } from './operation-kind.ts'

/** A kind of things that requests add to an account, change and take away again. */
export type ResourceKind = {
  /** Its tables, each with `account_id`, `added_by` and `wanted`; referring ones come first. */
  tables: readonly string[]
  /** Its SQL function that restores rows as they were before an operation. */
  restore?: string
  /** Its SQL function that completes rows when an operation ends, in place of the usual way. */
  complete?: string
  operations: Record<string, OperationKind>
  /** Its codes of refusals (src/errors.ts), each with its status and its meaning. */
  refusals?: Record<string, readonly [status: 400 | 404, meaning: string]>
  /** The events of the specification that it announces. */
  events: Record<string, EventKind>
}

/** The data of an event, and an example for the reference and for test events. */
export type EventKind<Data extends z.ZodType = z.ZodType> = { data: Data; example: z.input<Data> }

/** Describes an event; the example has to fit. */
export const eventKind = <Data extends z.ZodType>(
  data: Data,
  example: z.input<Data>,
): EventKind<Data> => ({ data, example })
