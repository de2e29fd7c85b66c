import type { Reply } from '../http/reply.ts'
import type { Fields } from './fields.ts'
import { fill } from './addresses.ts'
import type { PageRequest } from './page.ts'
import { plain } from './render.ts'

// Shows how the API and the command line do what a form does: pages teach the automation.

export type ApiCall = {
  /** The same by the command line. */
  command?: string
} & (
  | {
      method: string
      /** Below /api/v1. */
      path: string
      body?: object
    }
  // The API has no such call.
  | { method?: undefined }
)

type Asked = Pick<PageRequest, 'caller' | 'session' | 'wiring'>

/** Returns what a form does, by its path, the values of its fields, and who is signed in. */
export type ToCall<Names> = (
  params: Names,
  values: Record<string, unknown>,
  who: Pick<PageRequest['session'], 'name'>,
) => ApiCall

/**
 * Returns the texts to paste; empty fields show an example. Commands are shown only to users who
 * may be root.
 */
export function callOf<Names extends Record<string, string>>(
  { caller, session, wiring: { baseUrl } }: Asked,
  toCall: ToCall<Names>,
  fields: Fields,
  params: Names,
  loaded: {
    values?: Record<string, unknown>
    options?: Record<string, readonly unknown[] | undefined>
    /** The values as typed. */
    typed?: Record<string, unknown> | undefined
  },
): { curl: string | undefined; command: string | undefined } | undefined {
  const typed = Object.entries(fields).map(([name, { kind, example }]) => {
    const value =
      loaded.typed?.[name] ??
      loaded.values?.[name] ??
      first(loaded.options?.[name]) ??
      example ??
      undefined
    return [name, kind === 'password' ? '…' : value]
  })
  // A customer's own pages do not have the name in their address.
  const names = caller.role === 'customer' ? { username: session.name, ...params } : params
  const call = toCall(names, Object.fromEntries(typed), session)
  const command = caller.role === 'administrator' ? call.command : undefined
  if (call.method === undefined) {
    return command === undefined ? undefined : { curl: undefined, command }
  }
  const { method, path, body } = call
  const lines = [
    `curl -X ${method} ${baseUrl}/api/v1${fill(path, names)}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Idempotency-Key: $(uuidgen)"',
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d ${quoted(body)}`]),
  ]
  return { curl: lines.join(' \\\n  '), command }
}

/** Returns the id of the element that shows it, by the address of its form. */
export const callIdOf = (action: string): string => `call${action.replace(/[^a-z0-9]+/g, '-')}`

/** Returns a notice in its place once the user is signed out: the page keeps the typed values. */
export const signedOutCall = (action: string): Reply =>
  plain(200, 'signed-out', { id: `${callIdOf(action)}-status` })

function first(options: readonly unknown[] = []): unknown {
  const [option] = options
  return typeof option === 'object' && option !== null && 'value' in option ? option.value : option
}

// Quotes any JSON as one word of a shell.
const quoted = (body: object): string => `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`

/** Returns the items of a list, each after this flag. */
export const flags = (flag: string, list: unknown): string =>
  String(list ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(one => ` ${flag} ${word(one)}`)
    .join('')

/** Quotes a word of a command for a shell, if necessary. */
export const word = (text: unknown): string => {
  const whole = String(text ?? '')
  return /^[\w@%+=:,./-]+$/.test(whole) ? whole : `'${whole.replaceAll("'", `'\\''`)}'`
}
