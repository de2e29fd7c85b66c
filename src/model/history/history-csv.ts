import type { Entry } from './history.ts'

const columns = [
  ...([
    'at',
    'who',
    'role',
    'channel',
    'address',
    'action',
    'about',
    'subject',
    'outcome',
    'reason',
  ] as const),
]

/** Returns the history as CSV (RFC 4180), with a header line. */
export const toCsv = (entries: readonly Entry[]): string =>
  [
    columns.join(','),
    ...entries.map(entry => columns.map(column => field(textOf(entry[column]))).join(',')),
  ]
    .map(line => `${line}\r\n`)
    .join('')

const textOf = (value: Date | string | null): string =>
  value instanceof Date ? value.toISOString() : (value ?? '')

// Prefixes text that a spreadsheet would evaluate as a formula with an apostrophe, as OWASP
// recommends.
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
