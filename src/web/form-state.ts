import { PanelError, statusByCode } from '../errors.ts'
import { parseFields, type Errors, type Field, type Fields, type Typed } from './fields.ts'
import { capital, closed } from './words.ts'

// What a form is drawn with when it was refused.

/** What was typed, and what is wrong with it: by field, or about the form. */
export type State = { typed?: Typed; errors?: Errors; notice?: Notice }
type Notice = { sentence: string; link?: { address: string; label: string } }

/** Whether somebody can mend it on the form, or has to know of it; 404 and the like are pages. */
export const isRefusalOfForm = (error: unknown): error is PanelError =>
  error instanceof PanelError && [400, 402, 403, 409].includes(statusByCode[error.code])

/** Returns what a refused form shows: the sentence beside the field that it is about. */
export function toState({ message, field }: PanelError, fields: Fields): State {
  const [name] = Object.entries(fields).find(([name, one]) => isAbout(field, name, one)) ?? []
  if (name === undefined) return { notice: { sentence: closed(message) } }
  // A sentence that begins with the field's own name in the API.
  return { errors: { [name]: message.startsWith(`${field} `) ? capital(message) : message } }
}

const isAbout = (about: string | undefined, name: string, { inputs = [] }: Field): boolean =>
  about !== undefined && (about === name || inputs.includes(about))

/** A sentence about a field that the form doesn't have is one about the form. */
export function placed(state: State, fields: Fields): State {
  const [name = '', sentence = ''] = Object.entries(state.errors ?? {})[0] ?? []
  return sentence === '' || name in fields ? state : { notice: { sentence } }
}

/** Of a form that was drawn in an earlier session: what was typed, and that nothing came of it. */
export function stateOfEarlier(fields: Fields, body: URLSearchParams): State {
  const hasPassword = Object.values(fields).some(({ kind }) => kind === 'password')
  const sentence =
    'Nothing was changed: you have signed in again since you opened this form. Check it, then ' +
    `send it again.${hasPassword ? ' Type passwords again.' : ''}`
  return { typed: parseFields(fields, body).typed, notice: { sentence } }
}
