import { z } from 'zod'
import type { Pool } from '../db.ts'
import type { ErrorCode } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import { json } from '../http/reply.ts'
import { parseBody, parseQuery } from '../http/request.ts'
import type { Route } from '../http/server.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import { operationNames } from '../model/operations/operation-names.ts'
import type { Permission } from '../model/signing-in/tokens.ts'
import type { Write } from '../model/operations/writes.ts'
import type { CallerKeys } from '../requests/caller-keys.ts'
import type { Execute } from '../requests/execute.ts'
import { writeWith } from './write.ts'

/** The dependencies of the handlers. */
export type Wiring = {
  pool: Pool
  execute: Execute
  about: { version: string; serverName: string }
  /** Returns the key that seals credentials. */
  serverKey: () => Buffer
}

/** One endpoint of `/api/v1`: its input, its answers, and its handler. */
export type Endpoint = Description & {
  /** Whether the worker does it, so that a caller may choose how to wait. */
  isWork: boolean
  handler: (wiring: Wiring) => Handler
}

type Description<Path extends string = string> = {
  id: string
  method: Route['method']
  /** The path below `/api/v1`, with names in braces. */
  path: Path
  tag: Tag
  summary: string
  /** Details that the summary leaves out, in Markdown. */
  description: string
  /** Names in the path that only this endpoint has. */
  parameters?: Record<string, { schema: z.ZodType; example: string }>
  /** The permissions of which a token needs one; the provisioning permissions if left out. */
  permissions?: readonly Permission[]
  query?: z.ZodObject
  /** The schema by which the body is parsed; an empty body has no example. */
  body?: Content
  /** The answers by status; work for the worker can also be answered with 202. */
  answers: Record<number, Content & { description: string; hasLocation?: boolean }>
  /** Refusals in addition to those of its method and path. */
  refusals: ErrorCode[]
}

export type Tag = 'Packages' | 'Accounts' | 'Backups' | 'Usage' | 'Jobs' | 'Events' | 'Token'

/** The schema of a body and an example. */
export type Content = {
  schema: z.ZodType
  example?: unknown
  isRequired?: boolean
  /** The schema's name in the description, unless openapi-schemas.ts names it. */
  name?: string
}

/** The body of a write that takes none. */
export const EmptyBody = z.strictObject({})

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
/** The names in a path, as they were sent. */
type Params<Path> = Record<NamesIn<Path>, string>

type Given<Path, Query extends z.ZodType> = {
  caller: Caller
  keys: CallerKeys
  params: Params<Path>
  query: z.output<Query>
}

const NoQuery = z.object({})

/** Defines an endpoint that only reads; the result of `read` is answered with 200. */
export function reading<Path extends string, Query extends z.ZodObject = typeof NoQuery>(
  endpoint: Description<Path> & {
    query?: Query
    read: (wiring: Wiring) => (given: Given<Path, Query>) => Promise<object>
  },
): Endpoint {
  const { read, ...described } = endpoint
  const schema = endpoint.query ?? NoQuery
  return {
    ...described,
    isWork: false,
    handler: wiring => {
      const find = read(wiring)
      return async request => {
        const { caller, keys, params } = request
        const asked = parseQuery(request, schema) as z.output<Query>
        return json(200, await find({ caller, keys, params: params as Params<Path>, query: asked }))
      }
    },
  }
}

/** Defines an endpoint that executes a write, with the input from its path and body. */
export function writing<Path extends string, Body extends z.ZodObject, Desired>(
  endpoint: Description<Path> & {
    body: Content & { schema: Body }
    write: Write<Desired>
    toDesired: (params: Params<Path>, body: z.output<Body>, wiring: Wiring) => Desired
  },
): Endpoint {
  const { write, toDesired, ...described } = endpoint
  const { schema } = endpoint.body
  return {
    ...described,
    isWork: operationNames[write.name].lane !== 'none',
    handler: wiring =>
      writeWith(wiring.pool, wiring.execute, write, request => {
        parseQuery(request, NoQuery)
        return toDesired(request.params as Params<Path>, parseBody(request, schema), wiring)
      }),
  }
}
