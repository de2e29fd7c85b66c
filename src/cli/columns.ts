import { styleText } from 'node:util'
import { oneLine } from './foreign-text.ts'
import { cut, pad, widthOf, wrap } from './text-width.ts'
import { relative } from './times.ts'

// Results for people. Null is shown as a dash, because an empty cell could mean anything.

type Cell = string | number | boolean | Date | null | readonly string[]

/**
 * The output that a result is shown on: its width, whether it has colours, and the current time.
 */
export type Display = {
  columns: number
  hasColors: boolean
  /** Times are shown relative to it; null shows them in full. */
  now: Date | null
}

/** The look of a file or a pipe: everything in full, one line per item. */
export const plain: Display = { columns: Infinity, hasColors: false, now: null }

/** A result that takes its shape from where it is shown. */
export type Layout = (display: Display) => string

export type Fields = Record<string, Cell>

/** Formats one item, one line per field. */
export function fields(things: Fields): Layout {
  return display => {
    const width = Math.max(...Object.keys(things).map(name => name.length))
    return Object.entries(things)
      .map(([name, value]) => {
        const since =
          value instanceof Date && display.now ? ` (${relative(value, display.now)})` : ''
        const [first, ...more] = wrap(
          `${toText(value, plain)}${since}`,
          display.columns - width - 2,
        )
        const indent = ' '.repeat(width + 2)
        return [
          `${name.padEnd(width)}  ${first}\n`,
          ...more.map(line => `${indent}${line}\n`),
        ].join('')
      })
      .join('')
  }
}

type TableOptions = {
  /** The number of columns that are never left out; 1 by default. */
  minColumns?: number
  /** Whether the last column is a remark, which may be shown below its row. */
  hasRemark?: boolean
  /** The rows that are marked as bad, in red. */
  isBad?: (row: number) => boolean
}

/**
 * Lays out items, a line for each below the names of the columns, the most important first. Where
 * that is too wide, remarks go below their rows, UUIDs are cut to the beginning that every command
 * takes, and columns are left out from the right.
 */
export function table(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  { minColumns = 1, hasRemark = false, isBad = () => false }: TableOptions = {},
): Layout {
  return display => {
    const full = [columns, ...rows.map(row => row.map(cell => toText(cell, display)))]
    const isBelow = hasRemark && widthOfTable(full) > display.columns
    const lines = narrowed(
      isBelow ? full.map(line => line.slice(0, -1)) : full,
      display,
      minColumns,
    )
    const widths = widthsOf(lines)
    const isNumber = columns.map((_name, at) => rows.some(row => typeof row[at] === 'number'))
    const aligned = (text: string, at: number): string =>
      isNumber[at] ? text.padStart(widths[at]!) : pad(text, widths[at]!)
    return lines
      .flatMap((line, at) => {
        const remark = isBelow && at > 0 ? full[at]!.at(-1)! : none
        const below = remark === none ? [] : wrap(cut(remark, maxRemarkLength), display.columns - 4)
        const style = at === 0 ? 'bold' : isBad(at - 1) ? 'red' : 'reset'
        return [line.map(aligned).join('  ').trimEnd(), ...below.map(words => `    ${words}`)].map(
          text => (display.hasColors && style !== 'reset' ? styleText(style, text, always) : text),
        )
      })
      .map(text => `${text}\n`)
      .join('')
  }
}

/** Shortens ids and leaves out columns until the lines fit. */
function narrowed(lines: Lines, display: Display, minColumns: number): Lines {
  if (widthOfTable(lines) <= display.columns) return lines
  let narrow = lines.map(line => line.map(shortId))
  while (widthOfTable(narrow) > display.columns && narrow[0]!.length > minColumns) {
    narrow = narrow.map(line => line.slice(0, -1))
  }
  return narrow
}

type Lines = readonly (readonly string[])[]

const none = '-'
const maxRemarkLength = 300
const always = { validateStream: false }

const widthsOf = (lines: Lines): number[] =>
  (lines[0] ?? []).map((_name, at) =>
    lines.reduce((max, line) => Math.max(max, widthOf(line[at] ?? '')), 0),
  )

const widthOfTable = (lines: Lines): number =>
  widthsOf(lines).reduce((sum, width) => sum + width + 2, -2)

const shortId = (text: string): string =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text.slice(0, 8) : text

function toText(value: Cell, { now }: Display): string {
  if (value === null) return none
  if (value instanceof Date) return now === null ? value.toISOString() : relative(value, now)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return value.length === 0 ? none : oneLine(value.join(', '))
  return oneLine(`${value}`)
}
