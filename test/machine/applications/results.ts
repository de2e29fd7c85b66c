import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

// The reference has a table of what works of applications. Each run compares it with what it has
// seen on its Debian; `npm run test:applications` writes it.

const file = join(import.meta.dirname, '../../../docs/reference/applications.md')

/** The columns of the table, by the suites of Debian. */
export const columns: Record<string, string> = { bookworm: 'Debian 12', trixie: 'Debian 13' }

const version = 'version'

type Row = { application: string; what: string; result: string }

/** Collects what was seen of applications on one Debian. */
export type Results = {
  /** Tests something of an application; it works if the test passes. */
  works: (t: Test, what: string, test: (t: Test) => Promise<void>) => Promise<void>
  /** Begins another application, of a package if it has one. */
  begin: (application: string, name?: string) => void
  rows: Row[]
}

/** Starts without results; `versions` are those of packages. */
export function openResults(versions: Map<string, string>): Results {
  const rows: Row[] = []
  let application = ''
  return {
    rows,
    begin(title, name) {
      application = title
      if (name === undefined) return
      rows.push({ application, what: version, result: versions.get(name) ?? 'not in this Debian' })
    },
    async works(t, what, test) {
      const ended = await t.test(`${application}: ${what}`, test)
      rows.push({ application, what, result: ended?.ok === true ? 'yes' : 'no' })
    },
  }
}

const head = ['Application', 'What', ...Object.values(columns)]

function readTable(text: string): string[][] {
  const [, ...lines] = /^\| Application[^]*?\|\n(?!\|)/m.exec(text)?.[0].trimEnd().split('\n') ?? []
  return lines.slice(1).map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
}

function renderTable(rows: string[][]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)))
  const toLine = (row: string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |\n`
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |\n`
  return [toLine(head), rule, ...rows.map(toLine)].join('')
}

/** Returns the column of a Debian in the reference. */
function recorded(suite: string): Row[] {
  const column = head.indexOf(columns[suite] ?? '')
  return readTable(readFileSync(file, 'utf8')).map(row => ({
    ...{ application: row[0] ?? '', what: row[1] ?? '', result: row[column] ?? '' },
  }))
}

/**
 * Asserts that the reference says of a Debian what was seen on it. Versions may be newer, as Debian
 * updates its packages.
 */
export function compare(t: Test, suite: string, { rows }: Results): void {
  const [seen, expected] = [rows, recorded(suite)].map(all =>
    all.filter(({ what }) => what !== version),
  )
  t.strictSame(seen, expected, 'npm run test:applications writes docs/reference')
}

/** Writes what was seen on a Debian into the reference. */
export function write(suite: string, { rows }: Results): void {
  const text = readFileSync(file, 'utf8')
  const former = new Map(readTable(text).map(row => [`${row[0]}|${row[1]}`, row]))
  const column = head.indexOf(columns[suite] ?? '')
  const table = rows.map(({ application, what, result }) => {
    const row = former.get(`${application}|${what}`) ?? [application, what, '', '']
    return row.with(column, result)
  })
  writeFileSync(file, text.replace(/^\| Application[^]*?\|\n(?!\|)/m, renderTable(table)))
}
