import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

// Reads the OpenAPI file for the pages of the API reference: operations by tag, with their fields.

type Ref = { $ref: string }
type Schema = {
  type?: string
  format?: string
  description?: string
  enum?: unknown[]
  nullable?: boolean
  properties?: Record<string, Schema | Ref>
  required?: string[]
  items?: Schema | Ref
}
type Content = { 'application/json'?: { schema: Schema | Ref; example?: unknown } }
type Parameter = {
  name: string
  in: string
  description?: string
  required?: boolean
  example?: unknown
  schema: Schema
}
type Described = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters: (Parameter | Ref)[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content } | Ref>
}
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Described>>
}

/** A parameter of a call, or a field of a body. */
export type ApiField = {
  name: string
  type: string
  isRequired: boolean
  description: string
}

export type ApiOperation = {
  id: string
  method: string
  path: string
  summary: string
  description: string
  parameters: ApiField[]
  fields: ApiField[]
  /** The call as a command; `$TOKEN` is the token. */
  curl: string
  answers: { status: string; description: string }[]
  /** The body of the answer when all went well. */
  example: string | undefined
}

export type ApiSection = {
  name: string
  slug: string
  description: string
  operations: ApiOperation[]
}

/** Returns the sections of the OpenAPI file. */
export function readApi(baseUrl: string): ApiSection[] {
  const file = join(import.meta.dirname, '../../../provisioning-openapi.yaml')
  const document = parse(readFileSync(file, 'utf8')) as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      tag: described.tags[0],
      operation: toOperation(document, { method: method.toUpperCase(), path, described, baseUrl }),
    })),
  )
  return document.tags.map(({ name, description }) => ({
    ...{ name, description },
    slug: name.toLowerCase().replaceAll(/\W+/g, '-'),
    operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
  }))
}

type Call = { method: string; path: string; described: Described; baseUrl: string }

function toOperation(document: Document, call: Call): ApiOperation {
  const { method, path, described } = call
  const follow = <One>(one: One | Ref): One => resolved(document, one)
  const body = described.requestBody?.content['application/json']
  const answers = Object.entries(described.responses).map(([status, answer]) => ({
    status,
    ...follow(answer),
  }))
  const parameters = described.parameters.map(one => follow<Parameter>(one))
  const good = answers.find(({ status }) => status.startsWith('2'))?.content?.['application/json']
  return {
    ...{ id: described.operationId, method, path, summary: described.summary },
    description: described.description ?? '',
    parameters: parameters.map(({ name, description = '', required = false, schema }) => ({
      ...{ name, description, isRequired: required, type: typeOf(document, schema) },
    })),
    fields: body === undefined ? [] : fieldsOf(document, follow<Schema>(body.schema)),
    curl: curlOf(call, parameters, body?.example),
    answers: answers.map(({ status, description }) => ({ status, description })),
    example: good?.example === undefined ? undefined : JSON.stringify(good.example, undefined, 2),
  }
}

function resolved<One>(document: Document, one: One | Ref): One {
  if (typeof one !== 'object' || one === null || !('$ref' in one)) return one as One
  const names = one.$ref.split('/').slice(1)
  const found = names.reduce<unknown>(
    (within, name) => (within as Record<string, unknown>)[name],
    document,
  )
  return resolved(document, found as One | Ref)
}

const fieldsOf = (document: Document, { properties = {}, required = [] }: Schema): ApiField[] =>
  Object.entries(properties).map(([name, property]) => {
    const schema = resolved<Schema>(document, property)
    const { description = '' } = schema
    const isRequired = required.includes(name)
    return { name, description, isRequired, type: typeOf(document, schema) }
  })

function typeOf(document: Document, schema: Schema): string {
  const { type = 'any', items, nullable } = schema
  const orNull = nullable ? ' or null' : ''
  if (schema.enum !== undefined) {
    return schema.enum.map(value => JSON.stringify(value)).join(', ')
  }
  if (type === 'array' && items !== undefined) {
    return `list of ${typeOf(document, resolved<Schema>(document, items))}${orNull}`
  }
  return `${schema.format ?? type}${orNull}`
}

function curlOf(
  { method, path, baseUrl }: Call,
  parameters: readonly Parameter[],
  example: unknown,
): string {
  const valueOf = (name: string) =>
    encodeURIComponent(String(parameters.find(one => one.name === name)?.example ?? name))
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name))
  const lines = [
    `curl -X ${method} ${baseUrl}/api/v1${whole}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...(method === 'GET' ? [] : ['-H "Idempotency-Key: $(uuidgen)"']),
    ...(example === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example)}'`]),
  ]
  return lines.join(' \\\n  ')
}
