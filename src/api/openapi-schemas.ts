import { z } from 'zod'
import * as writes from '../model/accounts/account-writes.ts'
import { AccountPage } from '../model/accounts/account-search.ts'
import * as accounts from '../model/accounts/accounts.ts'
import { Event, EventPage, Redelivered, Redelivery } from '../model/events/event-feed.ts'
import { eventBodies } from '../model/events/events.ts'
import { OwnToken } from '../model/signing-in/own-token.ts'
import { Package, PackageFields, PackageList } from '../model/sellers/packages.ts'
import { AccountJobList, ErrorAnswer, RequestJob } from '../model/jobs/request-jobs.ts'
import { SignOnLink } from '../model/signing-in/sign-ons.ts'
import { Usage, UsageList } from '../model/accounts/usage.ts'
import type { Content } from './endpoint.ts'
import { endpoints } from './routes.ts'

// The handlers' schemas under the names that the description uses.

// Collects the schemas that endpoints name themselves.
const named = (contents: readonly (Content | undefined)[]) =>
  Object.fromEntries(
    contents.flatMap(one => (one?.name === undefined ? [] : [[one.name, one.schema]])),
  )

const bodies = registry({
  EmailChange: writes.EmailChange,
  NewAccount: writes.NewAccount,
  PackageChange: writes.PackageChange,
  PackageFields,
  PasswordChange: writes.PasswordChange,
  Redelivery,
  Suspension: writes.Suspension,
  ...named(endpoints.map(({ body }) => body)),
})

const answers = registry({
  Account: accounts.Account,
  AccountJobList,
  AccountPage,
  Error: ErrorAnswer,
  Event,
  EventPage,
  ...Object.fromEntries(eventBodies.map(body => [nameOfEvent(body.shape.event.value), body])),
  Job: RequestJob,
  Package,
  PackageList,
  Redelivered,
  SignOnLink,
  Token: OwnToken,
  Usage,
  UsageList,
  ...named(endpoints.flatMap(({ answers }) => Object.values(answers))),
})

export type Json = Record<string, unknown>

/** Returns `components/schemas`: bodies as they are sent, answers as they arrive. */
export const schemas = (): Json => ({
  ...toJson(bodies, 'input', ({ jsonSchema }) => {
    plain(jsonSchema)
  }),
  ...toJson(answers, 'output', ({ jsonSchema }) => {
    plain(jsonSchema)
    // A later release may add a field; a caller that refused it would break.
    delete jsonSchema.additionalProperties
  }),
})

/** Returns a reference to the schema in the description. */
export function refTo(schema: z.ZodType): Json {
  const name = bodies.get(schema)?.id ?? answers.get(schema)?.id
  if (name === undefined) throw new Error('A schema of the API has no name in its description')
  return { $ref: uri(name) }
}

/** Returns the schema of each field of a query. */
export function fieldsOf(query: z.ZodObject): Record<string, Json> {
  const { properties = {} } = z.toJSONSchema(query, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({ jsonSchema }) => plain(jsonSchema),
  })
  return properties as Record<string, Json>
}

type Registry = z.core.$ZodRegistry<{ id: string }, z.ZodType>

function registry(named: Record<string, z.ZodType>): Registry {
  const made = z.registry<{ id: string }, z.ZodType>()
  for (const [id, schema] of Object.entries(named)) made.add(schema, { id })
  return made
}

const uri = (id: string): string => `#/components/schemas/${id}`

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

function toJson(named: Registry, io: 'input' | 'output', override: Override): Json {
  const { schemas } = z.toJSONSchema(named, { target: 'openapi-3.0', io, uri, override })
  return Object.fromEntries(
    // OpenAPI 3.0 does not know `$id`.
    Object.entries(schemas).map(([name, { $id: _, ...schema }]) => [name, schema]),
  )
}

// Simplifies a schema: a format says more than the pattern that zod derives from it, and
// JavaScript's largest integer is not a limit of the API.
function plain(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  allowNull(jsonSchema)
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** Returns `AccountCreatedEvent` for `account.created`. */
function nameOfEvent(name: string): string {
  const words = name.split(/[._]/).map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

// Converts null: `nullable` belongs to a type, and a list of values has to include null (OpenAPI
// 3.0.3). A shared schema is visited more than once.
function allowNull(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema['nullable'] !== true) return
  if (jsonSchema.enum?.includes(null) === false) jsonSchema.enum.push(null)
  if (jsonSchema.anyOf === undefined) return
  delete jsonSchema['nullable']
  if (jsonSchema.anyOf.some(({ enum: values }) => values?.includes(null))) return
  jsonSchema.anyOf.push({ type: 'object', nullable: true, enum: [null] })
}
