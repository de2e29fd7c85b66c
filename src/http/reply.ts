import type { OutgoingHttpHeaders } from 'node:http'
import { PanelError, statusByCode } from '../errors.ts'
import { isOutage } from '../db.ts'
import { log } from '../log.ts'

/** Which refusal an answer is, for programs: its code. */
export const reasonHeader = 'x-panel-reason'

/** Which input a refusal is about: its name. */
export const fieldHeader = 'x-panel-field'

/** What is sent; the body's bytes are final. */
export type Reply = { status: number; headers: OutgoingHttpHeaders; body: Buffer }

export const json = (status: number, value: unknown, headers: OutgoingHttpHeaders = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(value)),
})

// Seconds after which a repeat is worth while: 409 and 504 wait for work in progress, 503 for a
// restart; 429 is the specification's.
const retryAfterS: Partial<Record<PanelError['code'], number>> = {
  busy: 1,
  rate_limited: 60,
  timed_out: 5,
  unavailable: 5,
}

/** The only place where a failure becomes an answer (specification, Errors). */
export function replyTo(error: unknown, facts: Record<string, unknown>): Reply {
  if (error instanceof PanelError) return refusal(error.code, error.message, error.field)
  log.error('request failed', error, facts)
  if (isOutage(error)) {
    return refusal('unavailable', 'The database is not responding; try again later')
  }
  return refusal('failed', 'Internal server error')
}

/** A refusal with what its status asks for. */
export function refusal(code: PanelError['code'], message: string, field?: string): Reply {
  const headers: OutgoingHttpHeaders = { [reasonHeader]: code }
  if (field !== undefined) headers[fieldHeader] = field
  const wait = retryAfterS[code]
  if (wait !== undefined) headers['retry-after'] = String(wait)
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer'
  return json(statusByCode[code], { error: message }, headers)
}
