import { readFileSync, writeFileSync } from 'node:fs'
import { failures } from '../errors.ts'

// Generates the table of reasons in the reference: `npm run describe` writes it, a test compares.

export const file = 'docs/reference/errors.md'

/** Returns the page with the current table. */
export function withReasons(page: string): string {
  const [before, rest] = page.split('## Reasons\n\n')
  if (rest === undefined) throw new Error(`${file} has no marker for the reasons`)
  const [, ...after] = rest.split(/\n(?!\|)/)
  return `${before}## Reasons\n\n${toTable()}\n${after.join('\n')}`
}

// Pads columns to one width, as prettier does.
function toTable(): string {
  const rows = Object.entries(failures)
    .map(([reason, [status, meaning]]) => [String(status), `\`${reason}\``, meaning])
    .sort(([one = ''], [other = '']) => one.localeCompare(other))
  const cells = [['Status', 'Reason', 'Meaning'], ...rows]
  const widths = [0, 1, 2].map(column => Math.max(...cells.map(row => row[column]!.length)))
  const toLine = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`
  return [toLine(cells[0]!), rule, ...rows.map(toLine)].join('\n')
}

if (import.meta.main) writeFileSync(file, withReasons(readFileSync(file, 'utf8')))
