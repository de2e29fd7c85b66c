/**
 * Every code of a failure, and the only place where it becomes a status (specification, Errors; RFC
 * 9110). Callers go by the code too (`X-Panel-Reason`, docs/reference/errors.md): one that is here
 * keeps its name. The first of a status says no more than the status does.
 */
export const statusByCode = {
  invalid: 400,
  username_taken: 400,
  username_reserved: 400,
  domain_taken: 400,
  reference_taken: 400,
  package_not_sold: 400,
  package_in_use: 400,
  too_many_sites: 400,
  database_taken: 400,
  too_many_databases: 400,
  account_not_active: 400,
  idempotency_key_reused: 400,
  unauthenticated: 401,
  license_limit: 402,
  forbidden: 403,
  address_not_allowed: 403,
  license_invalid: 403,
  reseller_suspended: 403,
  plan_exceeded: 403,
  suspended_by_administrator: 403,
  not_found: 404,
  account_unknown: 404,
  package_unknown: 404,
  website_unknown: 404,
  database_unknown: 404,
  job_unknown: 404,
  method_not_allowed: 405,
  too_slow: 408,
  busy: 409,
  too_large: 413,
  expectation_unknown: 417,
  rate_limited: 429,
  headers_too_large: 431,
  failed: 500,
  cancelled: 500,
  unavailable: 503,
  timed_out: 504,
} as const

export type ErrorCode = keyof typeof statusByCode

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
