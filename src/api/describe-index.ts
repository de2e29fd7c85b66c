import { readFileSync, writeFileSync } from 'node:fs'
import { readPages, type Page } from './reference.ts'

// Generates the index of the reference: `npm run describe` writes it, a test compares.

export const file = 'docs/reference/README.md'

/** Returns the index with the current table. */
export const withIndex = (index: string, pages: readonly Page[]): string =>
  index.replace(/^\|[^]*\|\n/m, toTable(pages))

// Pads columns to one width, as prettier does.
function toTable(pages: readonly Page[]): string {
  const rows = pages.map(({ title, slug, summary }) => [`[${title}](${slug}.md)`, summary])
  const cells = [['Page', 'Contents'], ...rows]
  const widths = [0, 1].map(column => Math.max(...cells.map(row => row[column]!.length)))
  const toLine = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |\n`
  return [toLine(cells[0]!), rule, ...rows.map(toLine)].join('')
}

if (import.meta.main) {
  writeFileSync(file, withIndex(readFileSync(file, 'utf8'), await readPages()))
}
