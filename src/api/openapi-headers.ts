import { requestsPerMinute } from '../model/signing-in/tokens.ts'
import type { Json } from './openapi-schemas.ts'

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string', example },
})

const seconds = (description: string, example: number): Json => ({
  description,
  schema: { type: 'integer', example },
})

/** `components/headers`: the headers of answers. */
export const headers: Json = {
  'X-Request-Id': text('Names this request in the log', '7c0f6b0e-6a63-4b0c-9a64-1f0e7d3f6d55'),
  'RateLimit-Limit': seconds('Requests that the token may make in any 60 s', requestsPerMinute),
  'RateLimit-Remaining': seconds('Requests that remain', 1187),
  'RateLimit-Reset': seconds('Seconds until more are allowed', 42),
  'Idempotent-Replayed': {
    description: 'The first answer to this Idempotency-Key; the work was not repeated',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: text('The path of the new resource', '/api/v1/accounts/alice'),
  'Preference-Applied': text('The preferences that were applied', 'respond-async'),
  'Retry-After': seconds('Seconds to wait before a repeat', 60),
  'WWW-Authenticate': text('How to authenticate', 'Bearer'),
}

/** The headers of every answer once the token is known. */
export const rate = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
