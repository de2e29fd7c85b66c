import { readFileSync, writeFileSync } from 'node:fs'
import { markdownTable } from '../model/grammar/markdown-table.ts'
import { initialLimits, limits } from '../model/sellers/package-limits.ts'

// Writes the limits of packages into the reference: `npm run describe` runs it, a test compares.

export const files = ['docs/reference/packages.md', 'docs/reference/idempotency.md']

/** Returns a page with the current table of fields, and with all limits in its examples. */
export const withLimits = (page: string): string =>
  page
    .replace(/^\| Field .*\| In a new package \|\n(\|.*\n)+/m, toTable)
    .replaceAll(
      /(?<="name": "[^"]+",\n)(?:( +)"\w+": .*,\n)+(?= +"created_at")/g,
      (fields: string, indent: string) => {
        const values = JSON.parse(`{${fields.trim().slice(0, -1)}}`) as object
        return Object.entries({ ...initialLimits, ...values })
          .map(([name, value]) => `${indent}"${name}": ${JSON.stringify(value)},\n`)
          .join('')
      },
    )

function toTable(): string {
  const head = ['Field', 'Type', 'Meaning', 'Range', 'In a new package']
  const rows = [
    ['`name`', 'string', 'name, unique in its catalogue', 'below', ''],
    ...limits.map(({ name, range, list, choices, meaning, initial }) => [
      `\`${name}\``,
      list ? 'list' : choices ? 'string' : range === undefined ? 'boolean' : 'integer',
      meaning,
      range === undefined
        ? (choices ?? []).join(', ')
        : range.map(end => end.toLocaleString('en')).join(' to '),
      Array.isArray(initial) ? JSON.stringify(initial) : `${initial}`,
    ]),
    ['`created_at`, `updated_at`', 'time', '', '', ''],
  ]
  return markdownTable(head, rows)
}

if (import.meta.main) {
  for (const file of files) writeFileSync(file, withLimits(readFileSync(file, 'utf8')))
}
