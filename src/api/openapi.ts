import { z } from 'zod'
import { maxWaitMs } from '../http/preference.ts'
import { Event } from '../model/events/event-feed.ts'
import { version } from '../config.ts'
import { packageName, username } from '../model/grammar/grammar.ts'
import { eventPage } from './examples.ts'
import { answersOf, json, responses } from './openapi-answers.ts'
import { headers } from './openapi-headers.ts'
import { fieldsOf, schemas, type Json } from './openapi-schemas.ts'
import { EmptyBody, type Endpoint } from './endpoint.ts'
import { endpoints } from './routes.ts'

/**
 * Returns the whole API as an OpenAPI 3.0 document, from the table and the schemas that serve it.
 */
export const describe = (): Json => ({
  openapi: '3.0.3',
  info: {
    title: 'Panel provisioning API',
    version,
    description:
      'Creates and manages hosting accounts on one panel server. The written reference is at ' +
      '`/llms-full.txt`.',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  },
  servers: [{ url: '/api/v1', description: 'The panel that serves this description' }],
  security: [{ token: [] }],
  tags,
  paths: paths(),
  'x-webhooks': webhooks,
  components: {
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description: 'The API token of an administrator or a reseller; it decides what is visible',
      },
    },
    parameters,
    headers,
    responses: responses(),
    schemas: schemas(),
  },
})

const inHeader = (name: string, description: string, example: string, required = true): Json => ({
  ...{ name, in: 'header', required, description },
  schema: { type: 'string' },
  example,
})

// Webhooks in the form of OpenAPI 3.1; version 3.0 has no section for them.
const webhooks: Json = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Events'],
      summary: 'Receive an event',
      description:
        'The request that the panel sends to each webhook registered for the event. Verify the ' +
        'signature over the raw body first.',
      security: [],
      parameters: [
        inHeader('X-Panel-Event', 'The name of the event', 'account.suspended'),
        inHeader(
          'X-Panel-Delivery',
          'A unique id of this delivery, the same for its retries',
          '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        ),
        inHeader(
          'X-Panel-Signature',
          "`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the webhook's secret, " +
            'or with the old one while two are valid',
          'sha256=8f1c4b0b3a2d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7',
        ),
        inHeader(
          'X-Panel-Signature-Next',
          'The same, keyed with the new secret; sent while two secrets are valid',
          'sha256=1d0c9b8a7f6e5d4c3b2a190807f6e5d4c3b2a1908f7e6d5c4b3a29180716f5e4',
          false,
        ),
      ],
      requestBody: {
        required: true,
        content: json({ schema: Event, example: eventPage.events[0] }),
      },
      responses: {
        '2XX': { description: 'Received; must be answered within 10 seconds' },
        default: { description: 'The delivery is retried after 5 and after 30 seconds' },
      },
    },
  },
}

const tags = [
  { name: 'Packages', description: 'The packages that a seller offers, addressed by name' },
  { name: 'Accounts', description: 'Hosting accounts, addressed by username' },
  { name: 'Backups', description: 'Backups of accounts, and where they go' },
  { name: 'Usage', description: 'Disk and bandwidth of accounts' },
  { name: 'Jobs', description: 'The progress and results of requests' },
  { name: 'Events', description: 'The events of the server, for receivers that missed some' },
  { name: 'Token', description: 'The token itself and what it may do' },
]

const pathParameter = (name: string, schema: z.ZodType, example: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: z.toJSONSchema(schema, { target: 'openapi-3.0' }),
  example,
})

const parameters: Record<string, Json> = {
  username: pathParameter('username', username, 'alice'),
  name: pathParameter('name', packageName, 'starter'),
  id: pathParameter('id', z.uuid(), '6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11'),
  ...Object.fromEntries(
    endpoints
      .flatMap(({ parameters = {} }) => Object.entries(parameters))
      .map(([name, { schema, example }]) => [name, pathParameter(name, schema, example)]),
  ),
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Unique for each operation, 1 to 255 printable ASCII characters. A repeat of the same key ' +
      'within 24 hours gets the first answer and does no work. Every write should carry one.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`respond-async`: answer 202 with a job at once. `wait=N`: wait at most N seconds, up to ' +
      `${maxWaitMs / 1000}, which is also the default (RFC 7240).`,
    schema: { type: 'string' },
    example: 'respond-async',
  },
}

function paths(): Json {
  const found: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const { path, method } = endpoint
    found[path] = { ...found[path], [method.toLowerCase()]: toJson(endpoint) }
  }
  return found
}

function toJson(endpoint: Endpoint): Json {
  const { id, tag, summary, description, body } = endpoint
  const content = body === undefined || body.schema === EmptyBody ? undefined : body
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters: parametersOf(endpoint),
    ...(content && {
      requestBody: { required: content.isRequired ?? false, content: json(content) },
    }),
    responses: answersOf(endpoint),
  }
}

function parametersOf({ path, method, query, isWork }: Endpoint): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const inHeader = method === 'GET' ? [] : ['IdempotencyKey']
  if (isWork) inHeader.push('Prefer')
  const refs = [...inPath, ...inHeader].map(name => ({ $ref: `#/components/parameters/${name}` }))
  const inQuery = Object.entries(query ? fieldsOf(query) : {}).map(
    ([name, { description, ...schema }]) => ({ name, in: 'query', description, schema }),
  )
  return [...refs, ...inQuery]
}
