import { resourceRefusals } from './model/operations/resource-kinds.ts'

/**
 * Every failure code with its status (specification, Errors; RFC 9110) and its meaning for the
 * reference. Callers rely on the code too (`X-Panel-Reason`, docs/reference/errors.md): an existing
 * one keeps its name. The first code of a status says no more than the status does.
 */
export const failures = {
  invalid: [400, 'malformed, or refused for the reason in the message'],
  username_taken: [400, 'an account or a user of the server already has the username'],
  username_reserved: [400, 'the username is reserved'],
  reference_taken: [400, 'another account of the same seller has the reference'],
  package_not_sold: [400, "the account's seller does not offer the package in the body"],
  package_in_use: [400, 'an account uses the package'],
  account_not_active: [400, 'the account is not active, so it cannot sign on'],
  idempotency_key_reused: [400, 'the `Idempotency-Key` was used for a different request'],
  unauthenticated: [401, 'the token is missing, unknown, revoked or expired'],
  license_limit: [402, 'the license permits no more accounts'],
  forbidden: [403, 'the caller may not do this, for a reason without a code of its own'],
  address_not_allowed: [403, 'the token may not be used from this address'],
  license_invalid: [403, 'the server has no valid paid license'],
  reseller_suspended: [403, "the token's reseller is suspended"],
  plan_exceeded: [403, "the request exceeds the reseller's plan"],
  suspended_by_administrator: [403, 'an administrator has suspended the account'],
  not_found: [404, 'there is no resource at this path'],
  account_unknown: [404, 'there is no such account among those that the token may see'],
  package_unknown: [404, 'there is no such package in the catalogue of the token'],
  job_unknown: [404, 'the token made no such request'],
  method_not_allowed: [405, 'the path does not support this method'],
  too_slow: [408, 'the request took too long to arrive'],
  busy: [409, 'the first request with this `Idempotency-Key` is still running'],
  too_large: [413, 'the body is over 64 KiB'],
  expectation_unknown: [417, 'the `Expect` header is not supported'],
  rate_limited: [429, 'too many requests, or too many failed authentications'],
  headers_too_large: [431, 'the headers are over 16 KiB, or there are too many'],
  failed: [500, 'the operation failed and was undone'],
  cancelled: [500, 'an administrator cancelled the request before it began'],
  unavailable: [503, 'the panel is starting, stopping or overloaded'],
  timed_out: [504, 'the wait timed out; the work continues'],
  ...resourceRefusals,
} as const

/** The status of each code. */
export const statusByCode = Object.fromEntries(
  Object.entries(failures).map(([code, [status]]) => [code, status]),
) as { [Code in keyof typeof failures]: (typeof failures)[Code][0] }

export type ErrorCode = keyof typeof failures

/** One of several refusals, each about a field of the same request. */
export type FieldError = { field: string | null; reason: string; error: string }

/** An expected failure: its message is a sentence for the caller and names their input. */
export class PanelError extends Error {
  override readonly name = 'PanelError'
  readonly code: ErrorCode
  /** The field with the wrong input, as the caller names it; the first of several. */
  readonly field: string | undefined
  /** All refusals of the request, if there are several; the first is this one. */
  readonly errors: readonly FieldError[]

  constructor(code: ErrorCode, message: string, { field, errors = [], ...options }: Options = {}) {
    super(message, options)
    this.code = code
    this.field = field
    this.errors = errors
  }
}

type Options = ErrorOptions & {
  field?: string | undefined
  errors?: readonly FieldError[] | undefined
}

/**
 * Returns one refusal for all: the first decides status, reason and field. Of several about one
 * field only the first is kept.
 */
export function allOf([first, ...others]: readonly [PanelError, ...PanelError[]]): PanelError {
  const known = new Set([first.field])
  const more = others.filter(({ field }) => !known.has(field) && known.add(field))
  if (more.length === 0) return first
  const errors = [first, ...more].map(({ code, field, message }) => ({
    ...{ field: field ?? null, reason: code, error: message },
  }))
  const sentences = errors.map(({ error }) => error).join('; ')
  return new PanelError(first.code, sentences, { field: first.field, errors })
}

// Refusals of the request itself. The other statuses depend on the moment, and are not stored.
const recordable: number[] = [400, 402, 403, 404]

/**
 * Returns whether a failure is the request's answer, which is stored and sent again like any other.
 */
export const isRefusal = (error: unknown): error is PanelError =>
  error instanceof PanelError && recordable.includes(statusByCode[error.code])
