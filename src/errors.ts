import { resourceRefusals } from './model/operations/resource-kinds.ts'

/**
 * Every code of a failure with its status (specification, Errors; RFC 9110) and its meaning for the
 * reference. Callers go by the code too (`X-Panel-Reason`, docs/reference/errors.md): one that is
 * here keeps its name. The first of a status says no more than the status does.
 */
export const failures = {
  invalid: [400, 'malformed, or refused for what the sentence says'],
  username_taken: [400, 'an account or a user of the server has the username'],
  username_reserved: [400, 'no account may have the username'],
  reference_taken: [400, 'an account of the same seller has the reference'],
  package_not_sold: [400, "the package in the body is none that the account's seller has"],
  package_in_use: [400, 'an account uses the package'],
  account_not_active: [400, 'only an active account can sign on'],
  idempotency_key_reused: [400, 'the `Idempotency-Key` belongs to another request'],
  unauthenticated: [401, 'no token, or one that is unknown, revoked or expired'],
  license_limit: [402, 'the license permits no more accounts'],
  forbidden: [403, 'not for this caller, for a reason that has no name of its own'],
  address_not_allowed: [403, 'the token may not be used from this address'],
  license_invalid: [403, 'the server has no valid paid license'],
  reseller_suspended: [403, "the token's reseller is suspended"],
  plan_exceeded: [403, "the reseller's plan does not allow it"],
  suspended_by_administrator: [403, 'an administrator has suspended the account'],
  not_found: [404, 'there is nothing at this path'],
  account_unknown: [404, 'the token sees no such account'],
  package_unknown: [404, 'the token sells no such package'],
  job_unknown: [404, 'the token has made no such request'],
  method_not_allowed: [405, 'the path has other methods'],
  too_slow: [408, 'the request took too long to arrive'],
  busy: [409, 'the first request with this `Idempotency-Key` is still running'],
  too_large: [413, 'the body is over 64 KiB'],
  expectation_unknown: [417, "its `Expect` is none of HTTP's"],
  rate_limited: [429, 'too many requests, or too many failed authentications'],
  headers_too_large: [431, 'the headers are over 16 KiB, or too many'],
  failed: [500, 'the operation failed and was undone'],
  cancelled: [500, 'an administrator cancelled the request before it began'],
  unavailable: [503, 'the panel is starting, stopping or overloaded'],
  timed_out: [504, 'the wait is over and the work goes on'],
  ...resourceRefusals,
} as const

/** The status of each. */
export const statusByCode = Object.fromEntries(
  Object.entries(failures).map(([code, [status]]) => [code, status]),
) as { [Code in keyof typeof failures]: (typeof failures)[Code][0] }

export type ErrorCode = keyof typeof failures

/** An expected failure: its message is a sentence for the caller and names what they sent. */
export class PanelError extends Error {
  override readonly name = 'PanelError'
  readonly code: ErrorCode
  /** The input that is at fault, as the caller names it; the first of several. */
  readonly field: string | undefined

  constructor(code: ErrorCode, message: string, { field, ...options }: Options = {}) {
    super(message, options)
    this.code = code
    this.field = field
  }
}

type Options = ErrorOptions & { field?: string | undefined }

// Refusals of the request itself. The other statuses depend on the moment, and are not stored.
const recordable: number[] = [400, 402, 403, 404]

/** Whether a failure is the request's answer, which is stored and sent again like any other. */
export const isRefusal = (error: unknown): error is PanelError =>
  error instanceof PanelError && recordable.includes(statusByCode[error.code])
