export type ErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'license_limit'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'busy'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'timed_out'

/** An expected failure: its message is a sentence for the caller and names what they sent. */
export class PanelError extends Error {
  override readonly name = 'PanelError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

// Refusals of the request itself. The other codes depend on the moment, and are not stored.
const recordable: ErrorCode[] = ['invalid', 'license_limit', 'forbidden', 'not_found']

/** Whether a failure is the request's answer, which is stored and sent again like any other. */
export const isRefusal = (error: unknown): error is PanelError =>
  error instanceof PanelError && recordable.includes(error.code)

/** The only place where a failure becomes a status code (specification, Errors; RFC 9110). */
export const statusByCode: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  license_limit: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  busy: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  timed_out: 504,
}
