import { z } from 'zod'
import type { Pool } from '../db.ts'
import type { ErrorCode } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import type { Licensing } from '../http/licensing.ts'
import type { Perform } from '../http/carry-out.ts'
import type { Route } from '../http/server.ts'

/** What the handlers are wired to. */
export type Wiring = {
  pool: Pool
  perform: Perform
  licensing: Licensing
  baseUrl: string
  ownNames: readonly string[]
}

/** One operation of `/api/v1`: what it takes and answers, and the handler that does it. */
export type Operation = {
  id: string
  method: Route['method']
  /** Below `/api/v1`, names in braces. */
  path: `/${string}`
  tag: Tag
  summary: string
  /** What the summary leaves open, in Markdown. */
  description: string
  query?: z.ZodObject
  /** The schema by which the handler parses the body; an empty body has no example. */
  body?: Content
  /** By status; what the worker does is answered with 202 as well. */
  answers: Record<number, Content & { description: string; hasLocation?: boolean }>
  /** Refusals besides those that its method and path bring along. */
  refusals: ErrorCode[]
  /** The worker does it: a caller may choose how to wait. */
  isWork?: boolean
  handler: (wiring: Wiring) => Handler
}

export type Tag = 'Packages' | 'Accounts' | 'Usage' | 'Jobs'

/** A body and one that fits it. */
export type Content = { schema: z.ZodType; example?: unknown; isRequired?: boolean }

/** What every refusal and failure looks like (specification, Errors). */
export const ErrorAnswer = z.strictObject({
  error: z.string().describe('One sentence that a person can act on'),
})
