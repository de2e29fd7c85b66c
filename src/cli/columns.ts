import { oneLine } from './foreign-text.ts'

// Results for people. Null is shown as a dash, because an empty cell could mean anything.

type Cell = string | number | boolean | Date | null | readonly string[]

/** One thing, a line for each field. */
export function fields(things: Record<string, Cell>): string {
  const names = Object.keys(things)
  const width = Math.max(...names.map(name => name.length))
  return Object.entries(things)
    .map(([name, value]) => `${name.padEnd(width)}  ${toText(value)}\n`)
    .join('')
}

/** Many things, a line for each below the names of the columns. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ...rows.map(row => row.map(toText))]
  const widths = columns.map((_name, column) =>
    Math.max(...lines.map(line => line[column]?.length ?? 0)),
  )
  return lines
    .map(line => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map(line => `${line.trimEnd()}\n`)
    .join('')
}

function toText(value: Cell): string {
  if (value === null) return '-'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return value.length === 0 ? '-' : oneLine(value.join(', '))
  return oneLine(`${value}`)
}
