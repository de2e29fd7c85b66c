import { statusByCode, type ErrorCode } from '../errors.ts'
import { requestsPerMinute } from '../model/signing-in/tokens.ts'
import { rate } from './openapi-headers.ts'
import type { Json } from './openapi-schemas.ts'

/** The description of one kind of refusal. */
type Refusal = { description: string; example: string; headers: string[] }

const stored = [...rate, 'Idempotent-Replayed']
const later = [...rate, 'Retry-After']

/** Every kind of refusal, by the code that stands for its status alone. */
// A method that a path does not support cannot be described in the entry of a supported one.
export const refusals = {
  invalid: {
    description: 'Invalid input; the sentence names each invalid field',
    example: 'password must have at least 8 characters',
    headers: stored,
  },
  unauthenticated: {
    description: 'No token, or one that is unknown, revoked or expired',
    example: 'The API token is unknown, revoked or expired',
    headers: ['WWW-Authenticate'],
  },
  license_limit: {
    description: 'License limit reached',
    example: 'The license permits 100 accounts',
    headers: stored,
  },
  forbidden: {
    description:
      "Forbidden for this token by its allowed addresses, the license, the reseller's state or " +
      'plan, or an administrator',
    example: 'This API token may not be used from this address',
    headers: stored,
  },
  not_found: {
    description: 'Nothing of this name exists that the token may see',
    example: 'Unknown account: alice',
    headers: stored,
  },
  busy: {
    description: 'The first request with this Idempotency-Key is still running: repeat it later',
    example: 'The first request with this Idempotency-Key is still running; repeat it later',
    headers: later,
  },
  too_large: {
    description: 'The body exceeds 64 KiB',
    example: 'The body exceeds 64 KiB',
    headers: rate,
  },
  rate_limited: {
    description: 'Too many requests with this token, or too many failed authentications',
    example: `Over ${requestsPerMinute} requests per minute; wait a minute`,
    headers: later,
  },
  failed: {
    description: 'The operation failed and was undone; nothing is stored, repeat the request',
    example: 'The operation failed and was undone; it can be retried',
    headers: rate,
  },
  unavailable: {
    description: 'The panel is starting, stopping or busy; nothing is stored, repeat the request',
    example: 'The database is not responding; try again later',
    headers: later,
  },
  timed_out: {
    description: 'The work continues; repeat the same request for its answer',
    example: 'The work continues; repeat the same request for its answer',
    headers: [...later, 'Preference-Applied'],
  },
} satisfies Partial<Record<ErrorCode, Refusal>>

/** Describes the header by which programs distinguish refusals of one status. */
export const reasonHeader = (code: ErrorCode): Json => ({
  'X-Panel-Reason': {
    description: 'The code of the refusal: the sentence may change, the code does not',
    schema: {
      type: 'string',
      enum: codes.filter(each => statusByCode[each] === statusByCode[code]),
    },
  },
})

/** The header that names the input that caused a refusal. */
export const fieldHeader: Json = {
  'X-Panel-Field': {
    description: 'The first field of the request that caused it; left out if none did',
    schema: { type: 'string' },
  },
}

/** The header for a status that is not known. */
export const anyReason: Json = {
  ...fieldHeader,
  'X-Panel-Reason': {
    description: 'The code of the failure; later releases may add codes',
    schema: { type: 'string' },
  },
}

const codes = Object.keys(statusByCode) as ErrorCode[]

/** Returns the name of a refusal in the description: `LicenseLimit` for `license_limit`. */
export const nameOf = (code: string): string =>
  code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
