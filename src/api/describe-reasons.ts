import { readFileSync, writeFileSync } from 'node:fs'
import { failures } from '../errors.ts'
import { withTable } from '../model/grammar/markdown-table.ts'

// Generates the table of reasons in the reference: `npm run describe` writes it, a test compares.

export const file = 'docs/reference/errors.md'

/** Returns the page with the current table. */
export const withReasons = (page: string): string =>
  withTable(
    page,
    ['Status', 'Reason', 'Meaning'],
    Object.entries(failures)
      .map(([reason, [status, meaning]]) => [String(status), `\`${reason}\``, meaning])
      .sort(([one = ''], [other = '']) => one.localeCompare(other)),
  )

if (import.meta.main) writeFileSync(file, withReasons(readFileSync(file, 'utf8')))
