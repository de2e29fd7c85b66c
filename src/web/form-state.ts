import { PanelError, statusByCode } from '../errors.ts'
import { t } from './texts/texts.ts'
import { parseFields, type Errors, type Field, type Fields, type Typed } from './fields.ts'
import { capital, closed } from './words.ts'

// The state with which a refused form is drawn again.

/** The typed values and their errors: by field, or about the form. */
export type State = {
  typed?: Typed
  errors?: Errors
  notice?: Notice
  /** The errors are about how a value is written, so that an example helps. */
  isMistyped?: true
}
type Notice = { sentence: string; link?: { address: string; label: string } }

/** Returns whether it is shown on the form; other errors, such as 404, have pages of their own. */
export const isRefusalOfForm = (error: unknown): error is PanelError =>
  error instanceof PanelError && [400, 402, 403, 409].includes(statusByCode[error.code])

/** Returns what a refused form shows: each sentence next to the field that it is about. */
export function toState({ message, field, errors }: PanelError, fields: Fields): State {
  const all = errors.length > 0 ? errors : [{ field: field ?? null, error: message }]
  const byField: Errors = {}
  let notice: State['notice']
  for (const { field, error } of all) {
    const [name] = Object.entries(fields).find(([name, one]) => isAbout(field, name, one)) ?? []
    if (name === undefined) notice ??= { sentence: closed(error) }
    // A sentence that begins with the field's own name in the API.
    else byField[name] ??= error.startsWith(`${field} `) ? capital(error) : error
  }
  return {
    ...(Object.keys(byField).length > 0 && { errors: byField }),
    ...(notice && { notice }),
  }
}

const isAbout = (about: string | null, name: string, { inputs = [] }: Field): boolean =>
  about !== null && (about === name || inputs.includes(about))

/** Moves a sentence about a field that the form doesn't have to the form as a whole. */
export function atField(state: State, fields: Fields): State {
  const [name = '', sentence = ''] = Object.entries(state.errors ?? {})[0] ?? []
  return sentence === '' || name in fields ? state : { notice: { sentence } }
}

/** Returns the state of an earlier session's form: its typed values, and that it had no effect. */
export function stateOfEarlier(fields: Fields, body: URLSearchParams): State {
  const hasPassword = Object.values(fields).some(({ kind }) => kind === 'password')
  const sentence = t('forms.nothingWasChangedYou', { hasPassword: hasPassword ? 'yes' : 'no' })
  return { typed: parseFields(fields, body).typed, notice: { sentence } }
}
