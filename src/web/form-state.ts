import { PanelError, statusByCode, type ErrorCode } from '../errors.ts'
import { parseFields, type Errors, type Fields, type Typed } from './fields.ts'
import type { Role } from './page.ts'
import { capital } from './words.ts'

// What a form is drawn with when it was refused.

/** What was typed, and what is wrong with it: by field, or about the form. */
export type State = { typed?: Typed; errors?: Errors; notice?: Notice }
type Notice = { sentence: string; link?: { address: string; label: string } }

/** Whether somebody can mend it on the form, or has to know of it; 404 and the like are pages. */
export const isRefusalOfForm = (error: unknown): error is PanelError =>
  error instanceof PanelError && [400, 402, 403, 409].includes(statusByCode[error.code])

export const toState = (error: PanelError, role: Role, fields: Fields): State => {
  const message = role === 'reseller' ? spokenTo(error.message) : error.message
  const field = fieldsAbout(error.code, message).find(name => name in fields)
  if (field !== undefined) return { errors: { [field]: capitalUnlessName(message) } }
  return { notice: { sentence: /[.?!]$/.test(message) ? message : `${message}.` } }
}

// The API speaks of the reseller to whoever asks.
const spokenTo = (message: string): string =>
  message.replace(/^The reseller's plan/, 'Your plan').replace(/^The reseller has/, 'You have')

// The fields that such a refusal is about, where a form has them.
const fieldsAbout = (code: ErrorCode, message: string): readonly string[] =>
  byCode[code] ?? bySentence.find(([sentence]) => sentence.test(message))?.[1] ?? []

const byCode: Partial<Record<ErrorCode, string[]>> = {
  username_taken: ['username'],
  username_reserved: ['username'],
  domain_taken: ['domain'],
  reference_taken: ['reference'],
  database_taken: ['suffix'],
  package_not_sold: ['package'],
  too_many_sites: ['package'],
  too_many_databases: ['package'],
}

// Others share a code. A plan's limits (sql/functions/describe_excess.sql) are exceeded by a
// package that is being made, or by one that is chosen.
const bySentence: [RegExp, string[]][] = [
  [/plan allows .* websites? in all$/, ['max_sites', 'package']],
  [/plan allows .* of disk in all$/, ['disk_mb', 'package']],
  [/plan allows .* of memory an account$/, ['memory_mb', 'package']],
  [/plan allows .* of CPU an account$/, ['cpu_percent', 'package']],
  [/^There is a package .* already$/, ['name']],
  [/^The account has this key already$/, ['publicKey']],
]

// Some sentences begin with the name of what they are about, which stays as it is.
const capitalUnlessName = (message: string): string =>
  /^(username|domain|package|reference) /.test(message) ? capital(message) : message

/** A sentence about a field that the form doesn't have is one about the form. */
export function placed(state: State, fields: Fields): State {
  const [name = '', sentence = ''] = Object.entries(state.errors ?? {})[0] ?? []
  return sentence === '' || name in fields ? state : { notice: { sentence } }
}

/** Of a form that was drawn in an earlier session: what was typed, and that nothing came of it. */
export function stateOfEarlier(fields: Fields, body: URLSearchParams): State {
  const hasPassword = Object.values(fields).some(({ kind }) => kind === 'password')
  const sentence =
    'Nothing was done: you have signed in again since this form was opened. Look it over, and ' +
    `send it again.${hasPassword ? ' Passwords have to be typed again.' : ''}`
  return { typed: parseFields(fields, body).typed, notice: { sentence } }
}
