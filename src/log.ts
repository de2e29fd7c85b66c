// One JSON line per fact on standard output; journald adds the unit. Messages are constant, facts
// are fields. Secrets are redacted by construction: fields with the names below lose their value,
// and what looks like a token or a password hash is cut out of every text.

type Fields = Record<string, unknown>

const secretNames = /pass(word|phrase)?|secret|token|authorization|cookie|hash|^key$|private/i
const secretTexts: [RegExp, string][] = [
  [/pnl_[A-Za-z0-9_-]+/g, 'pnl_[redacted]'],
  [/\$(6|y|argon2id)\$[^\s"']+/g, '$$$1$$[redacted]'],
  [/(\/\/[^\s:/@]*):[^\s@/]+@/g, '$1:[redacted]@'],
]
// No fact of ours is deeper; anything deeper was logged by mistake.
const maxDepth = 5
const maxTextLength = 8_192

/** Returns a copy of a value without secrets, fit for a log line. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth || Buffer.isBuffer(value)) return '[not logged]'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(item => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretNames.test(name) ? '[redacted]' : redact(item, depth + 1),
    ]),
  )
}

function redactText(text: string): string {
  let clean = text
  for (const [pattern, replacement] of secretTexts) clean = clean.replace(pattern, replacement)
  // Cut after redaction: half a secret would not be recognised.
  return clean.length > maxTextLength ? `${clean.slice(0, maxTextLength)}…` : clean
}

// Only named fields: PostgreSQL's errors carry `detail` and `where`, which quote the row's values.
function redactError(error: Error, depth: number): unknown {
  const { code } = error as { code?: unknown }
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: redactText(error.message),
    stack: error.stack === undefined ? undefined : redactText(error.stack),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
    ...(error instanceof AggregateError ? { errors: redact(error.errors, depth + 1) } : {}),
  }
}

function write(level: 'info' | 'error', message: string, fields: Fields): void {
  const line = { time: new Date().toISOString(), level, message, ...(redact(fields) as Fields) }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

export const log = {
  /** Informs the administrator. */
  info: (message: string, fields: Fields = {}): void => write('info', message, fields),
  /** Asks the administrator to act. */
  error: (message: string, error: unknown, fields: Fields = {}): void =>
    write('error', message, { ...fields, error }),
}
