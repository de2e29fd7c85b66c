import { PanelError, statusByCode, type ErrorCode } from '../errors.ts'
import type { Errors, Fields, Typed } from './fields.ts'
import type { Role } from './page.ts'
import { capital } from './words.ts'

// What a form is drawn with when it was refused.

/** What was typed, and what is wrong with it: by field, or about the form. */
export type State = { typed?: Typed; errors?: Errors; notice?: Notice }
type Notice = { sentence: string; link?: { address: string; label: string } }

/** Whether somebody can mend it on the form, or has to know of it; 404 and the like are pages. */
export const isRefusalOfForm = (error: unknown): error is PanelError =>
  error instanceof PanelError && [400, 402, 403, 409].includes(statusByCode[error.code])

export const toState = (error: PanelError, role: Role): State => {
  const { code } = error
  const message = role === 'reseller' ? spokenTo(error.message) : error.message
  const field = fieldOf[code] ?? fieldBeyondPlan(message)
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  // These begin with what it is, others with a name, which stays as it is.
  return field === undefined ? { notice: { sentence } } : { errors: { [field]: capital(message) } }
}

// The field that such a refusal is about.
const fieldOf: Partial<Record<ErrorCode, string>> = {
  username_taken: 'username',
  username_reserved: 'username',
  domain_taken: 'domain',
  package_not_sold: 'package',
  too_many_sites: 'package',
}

// The API speaks of the reseller to whoever asks.
const spokenTo = (message: string): string =>
  message.replace(/^The reseller's plan/, 'Your plan').replace(/^The reseller has/, 'You have')

// The plan's limits have one code and a sentence each (sql/functions/describe_excess.sql).
const fieldBeyondPlan = (message: string): string | undefined =>
  beyondPlan.find(([sentence]) => sentence.test(message))?.[1]

const beyondPlan: [RegExp, string][] = [
  [/plan allows .* websites? in all$/, 'max_sites'],
  [/plan allows .* of disk in all$/, 'disk_mb'],
  [/plan allows .* of memory an account$/, 'memory_mb'],
  [/plan allows .* of CPU an account$/, 'cpu_percent'],
]

/** A sentence about a field that the form doesn't have is one about the form. */
export function placed(state: State, fields: Fields): State {
  const [name = '', sentence = ''] = Object.entries(state.errors ?? {})[0] ?? []
  return sentence === '' || name in fields ? state : { notice: { sentence } }
}
