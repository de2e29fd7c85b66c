import type { Fields } from './fields.ts'
import { fill } from './addresses.ts'

// What a form does, as the API and the command line do it too: pages teach the automation.

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

type Wiring = { baseUrl: string }

/** The texts to paste; fields that say nothing yet say what one looks like. */
export function callOf<Names extends Record<string, string>>(
  { baseUrl }: Wiring,
  toCall: (params: Names, values: Record<string, unknown>) => ApiCall,
  fields: Fields,
  params: Names,
  loaded: {
    values?: Record<string, unknown>
    options?: Record<string, readonly unknown[] | undefined>
  },
): { curl: string | undefined; command: string | undefined } {
  const said = Object.entries(fields).map(([name, { kind, example }]) => {
    const value = loaded.values?.[name] ?? first(loaded.options?.[name]) ?? example ?? undefined
    return [name, kind === 'password' ? '…' : value]
  })
  const call = toCall(params, Object.fromEntries(said))
  if (call.method === undefined) return { curl: undefined, command: call.command }
  const { method, path, body, command } = call
  const lines = [
    `curl -X ${method} ${baseUrl}/api/v1${fill(path, params)}`,
    '-H "Authorization: Bearer $TOKEN"',
    '-H "Idempotency-Key: $(uuidgen)"',
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d ${quoted(body)}`]),
  ]
  return { curl: lines.join(' \\\n  '), command }
}

function first(options: readonly unknown[] = []): unknown {
  const [option] = options
  return typeof option === 'object' && option !== null && 'value' in option ? option.value : option
}

// As one word of a shell, whatever is in it.
const quoted = (body: object): string => `'${JSON.stringify(body).replaceAll("'", `'\\''`)}'`

/** A word of a command as a shell takes it. */
export const word = (text: unknown): string => {
  const said = String(text ?? '')
  return /^[\w@%+=:,./-]+$/.test(said) ? said : `'${said.replaceAll("'", `'\\''`)}'`
}
