import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { batched } from '../batched.ts'
import type { Pool } from '../db.ts'
import { PanelError, type ErrorCode } from '../errors.ts'
import type { AddressOf } from './caller-address.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import { countFailures } from './failures.ts'
import * as tokens from '../model/signing-in/tokens.ts'
import type { Call, Permission } from '../model/signing-in/tokens.ts'

/** An authenticated call, and the rate-limit headers of its answer. */
export type Authenticated = { caller: Caller; token: string; rateHeaders: OutgoingHttpHeaders }

/**
 * Authenticates a call.
 *
 * @throws {PanelError} if the token has none of the given permissions
 */
export type Authenticate = (
  message: IncomingMessage,
  permissions: readonly Permission[],
) => Promise<Authenticated>

/** The refusal of a known token: its answer has the rate-limit headers like every other. */
export class TokenRefused extends PanelError {
  readonly rateHeaders: OutgoingHttpHeaders

  constructor(code: ErrorCode, words: string, rateHeaders: OutgoingHttpHeaders) {
    super(code, words)
    this.rateHeaders = rateHeaders
  }
}

const limited = (resetS: number): TokenRefused => {
  const words = `Over ${tokens.requestsPerMinute} requests per minute; wait a minute`
  return new TokenRefused('rate_limited', words, toHeaders(0, resetS))
}

/**
 * Returns a function that authenticates a call by its bearer token and address, and counts it. From
 * the first 429 until a request is allowed again, further calls of the token are refused without a
 * query.
 */
export function authenticateWith(pool: Pool, addressOf: AddressOf): Authenticate {
  // The time, by performance.now(), at which each token over its limit may call again.
  const refusedUntil = new Map<string, number>()
  const failures = countFailures()
  const authenticateBatched = batched((calls: Call[]) => tokens.authenticate(pool, calls))
  const unauthenticated = (message: IncomingMessage, words: string): PanelError =>
    failures.count(addressOf(message) ?? 'unknown')
      ? new PanelError('rate_limited', 'Too many failed authentications; wait a minute')
      : new PanelError('unauthenticated', words)
  return async (message, permissions) => {
    const token = bearerToken(message)
    if (token === undefined) throw unauthenticated(message, tokenRequired)
    const known = refusedUntil.get(token)
    if (known !== undefined) {
      const waitMs = known - performance.now()
      if (waitMs > 0) throw limited(Math.ceil(waitMs / 1000))
      refusedUntil.delete(token)
    }
    const found = await authenticateBatched({
      hash: tokens.hashToken(token),
      address: addressOf(message),
    })
    if (found.verdict === 'unknown') {
      throw unauthenticated(message, 'The API token is unknown, revoked or expired')
    }
    const { caller, resetS } = found
    const rateHeaders = toHeaders(found.remaining, resetS)
    const refused = (code: ErrorCode, words: string) => new TokenRefused(code, words, rateHeaders)
    switch (found.verdict) {
      case 'ok':
        if (!permissions.includes(found.permission)) {
          throw refused('forbidden', `This API token has only the permission “${found.permission}”`)
        }
        return { caller, token, rateHeaders }
      case 'limited':
        refusedUntil.set(token, performance.now() + resetS * 1000)
        throw limited(resetS)
      case 'address':
        throw refused('address_not_allowed', 'This API token may not be used from this address')
      case 'suspended':
        throw refused('reseller_suspended', 'The reseller of this API token is suspended')
    }
  }
}

const tokenRequired = 'An API token is required: Authorization: Bearer TOKEN'

function bearerToken({ headersDistinct }: IncomingMessage): string | undefined {
  const [header = '', ...others] = headersDistinct['authorization'] ?? []
  return others.length > 0 ? undefined : /^bearer +([!-~]{1,200})$/i.exec(header)?.[1]
}

const toHeaders = (remaining: number, resetS: number): OutgoingHttpHeaders => ({
  'ratelimit-limit': tokens.requestsPerMinute,
  'ratelimit-remaining': remaining,
  'ratelimit-reset': resetS,
})
