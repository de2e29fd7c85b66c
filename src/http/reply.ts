import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { PanelError, statusByCode } from '../errors.ts'
import { isOutage } from '../db.ts'
import { log } from '../log.ts'

/** The header with the code of a refusal, for programs. */
export const reasonHeader = 'x-panel-reason'

/** The header with the name of the input that caused a refusal. */
export const fieldHeader = 'x-panel-field'

/** A reply; the bytes of its body are final. */
export type Reply = {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
  /** A file that is sent as the body, and closed. */
  file?: { stream: Readable; bytes: number }
}

export const json = (status: number, value: unknown, headers: OutgoingHttpHeaders = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
})

// Seconds to wait before a repeat: 409 and 504 wait for work in progress, 503 for a restart; the
// value for 429 is the specification's.
const retryAfterS: Partial<Record<PanelError['code'], number>> = {
  busy: 1,
  rate_limited: 60,
  timed_out: 5,
  unavailable: 5,
}

/** Converts a failure to an answer (specification, Errors); no other code does. */
export function replyTo(error: unknown, facts: Record<string, unknown>): Reply {
  if (error instanceof PanelError) return refusal(error.code, error.message, error.field)
  log.error('request failed', error, facts)
  if (isOutage(error)) {
    return refusal('unavailable', 'The database is not responding; try again later')
  }
  return refusal('failed', 'Internal server error')
}

/** Returns a refusal with the headers that its status requires. */
export function refusal(code: PanelError['code'], message: string, field?: string): Reply {
  const headers: OutgoingHttpHeaders = { [reasonHeader]: code }
  if (field !== undefined) headers[fieldHeader] = field
  const wait = retryAfterS[code]
  if (wait !== undefined) headers['retry-after'] = String(wait)
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer'
  return json(statusByCode[code], { error: message }, headers)
}
