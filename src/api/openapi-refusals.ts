import type { ErrorCode } from '../errors.ts'
import { requestsPerMinute } from '../model/tokens.ts'
import { rate } from './openapi-headers.ts'

/** How the description shows one kind of refusal. */
export type Refusal = { name: string; description: string; example: string; headers: string[] }

/** Every refusal by its code, and the failure that has none. */
export const refusals: Record<ErrorCode | 'failed', Refusal> = {
  invalid: {
    name: 'Invalid',
    description: 'Invalid input; the sentence names each field that does not fit',
    example: 'password must have at least 8 characters',
    headers: [...rate, 'Idempotent-Replayed'],
  },
  unauthenticated: {
    name: 'Unauthenticated',
    description: 'No token, or one that is unknown, revoked or expired',
    example: 'The API token is unknown, revoked or expired',
    headers: ['WWW-Authenticate'],
  },
  license_limit: {
    name: 'LicenseLimit',
    description: 'License limit reached',
    example: 'The license permits 100 accounts',
    headers: [...rate, 'Idempotent-Replayed'],
  },
  forbidden: {
    name: 'Forbidden',
    description:
      "Not allowed for this token: its address, the license, the reseller's state or plan, or an " +
      'administrator forbids it',
    example: 'This API token may not be used from this address',
    headers: [...rate, 'Idempotent-Replayed'],
  },
  not_found: {
    name: 'NotFound',
    description: 'There is nothing of this name that the token may see',
    example: 'Unknown account: alice',
    headers: [...rate, 'Idempotent-Replayed'],
  },
  method_not_allowed: {
    name: 'MethodNotAllowed',
    description: 'The path has other methods',
    example: 'PATCH is not a method of this path',
    headers: [],
  },
  busy: {
    name: 'Busy',
    description: 'The first request with this Idempotency-Key is still running: repeat it later',
    example: 'The first request with this Idempotency-Key is still running; repeat it later',
    headers: [...rate, 'Retry-After'],
  },
  too_large: {
    name: 'TooLarge',
    description: 'The body is over 64 KiB',
    example: 'The body is over 64 KiB',
    headers: rate,
  },
  rate_limited: {
    name: 'RateLimited',
    description: 'Too many requests of this token, or too many failed authentications',
    example: `Over ${requestsPerMinute} requests a minute; wait a minute`,
    headers: [...rate, 'Retry-After'],
  },
  failed: {
    name: 'Failed',
    description: 'The operation failed and was undone; nothing is stored, repeat the request',
    example: 'The operation failed and was undone; it may be tried again',
    headers: rate,
  },
  unavailable: {
    name: 'Unavailable',
    description: 'The panel is starting, stopping or busy; nothing is stored, repeat the request',
    example: 'The database does not answer, try again later',
    headers: [...rate, 'Retry-After'],
  },
  timed_out: {
    name: 'TimedOut',
    description: 'The work goes on; repeat the same request for its answer',
    example: 'The work goes on; repeat the same request for its answer',
    headers: [...rate, 'Retry-After'],
  },
}
