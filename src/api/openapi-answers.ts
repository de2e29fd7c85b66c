import { statusByCode, type ErrorCode } from '../errors.ts'
import { ErrorAnswer, RequestJob } from '../model/jobs/request-jobs.ts'
import { queued } from './examples.ts'
import { rate } from './openapi-headers.ts'
import { anyReason, fieldHeader, nameOf, reasonHeader, refusals } from './openapi-refusals.ts'
import { refTo, type Json } from './openapi-schemas.ts'
import type { Content, Endpoint } from './endpoint.ts'

/** Returns `components/responses`: every refusal and failure, once. */
export const responses = (): Json => ({
  ...Object.fromEntries(
    Object.entries(refusals).map(([code, { description, example, headers }]) => {
      const content = { schema: ErrorAnswer, example: { error: example } }
      const field = withField.includes(code as ErrorCode) ? fieldHeader : {}
      const own = { ...reasonHeader(code as ErrorCode), ...field }
      return [nameOf(code), answer(description, content, headers, own)]
    }),
  ),
  // Answers that come before a path is known, or from a later release or a proxy.
  [nameOf('other')]: answer(
    'Any other failure: decide by its status, and by `X-Panel-Reason` if it has one',
    { schema: ErrorAnswer, example: { error: 'The headers exceed 16 KiB, or there are too many' } },
    [],
    anyReason,
  ),
})

// Refusals that name the input that caused them.
const withField: ErrorCode[] = ['invalid', 'forbidden']

/** Returns every answer of an endpoint, by status. */
export function answersOf(endpoint: Endpoint): Json {
  const isWrite = endpoint.method !== 'GET'
  const replayed = isWrite ? ['Idempotent-Replayed'] : []
  const applied = endpoint.isWork ? ['Preference-Applied'] : []
  const found = Object.entries(endpoint.answers).map(
    ([status, { description, hasLocation, ...content }]) => {
      const location = hasLocation ? ['Location'] : []
      const named = [...rate, ...replayed, ...applied, ...location]
      return [status, answer(description, content, named)] as const
    },
  )
  const job = { schema: RequestJob, example: queued }
  const accepted = answer('The work continues as this job', job, [...rate, ...applied, 'Location'])
  return {
    ...Object.fromEntries(found),
    ...(endpoint.isWork ? { 202: accepted } : {}),
    ...Object.fromEntries(refusalsOf(endpoint)),
    default: toRef('other'),
  }
}

function refusalsOf({ method, refusals: own, isWork }: Endpoint): [number, Json][] {
  const ofWrites: ErrorCode[] = method === 'GET' ? [] : ['busy']
  const ofWork: ErrorCode[] = isWork ? ['timed_out'] : []
  const codes: ErrorCode[] = [
    // A body is read even if the endpoint takes none.
    ...(['invalid', 'unauthenticated', 'forbidden', 'too_large', 'rate_limited'] as const),
    ...(['failed', 'unavailable'] as const),
    ...ofWrites,
    ...ofWork,
    ...own,
  ]
  return codes.map(code => [statusByCode[code], toRef(code)])
}

const toRef = (code: string): Json => ({ $ref: `#/components/responses/${nameOf(code)}` })

const answer = (
  description: string,
  content: Content,
  named: string[],
  headers: Json = {},
): Json => ({
  description,
  headers: {
    ...Object.fromEntries(
      ['X-Request-Id', ...named].map(name => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    ...headers,
  },
  content: json(content),
})

/** Describes a body of a request or an answer. */
export const json = ({ schema, example }: Content): Json => ({
  'application/json': { schema: refTo(schema), example },
})
