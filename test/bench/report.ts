import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { draw } from './drawing.ts'
import type { Bound, Result } from './row.ts'

// A run of some rows keeps the results of the others: every ratio is of one run anyway.

const folder = join(import.meta.dirname, '../../docs/benchmarks')

export type Measured = { measuredAt: string; node: string; processor: string; results: Result[] }

/** Writes results.json and results.svg; returns the results of this run as a table. */
export async function report(results: Record<string, Result[]>): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'results.json')
  const rows = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<
    string,
    Measured
  >
  for (const [name, measured] of Object.entries(results)) {
    rows[name] = {
      measuredAt: new Date().toISOString(),
      node: process.version,
      processor: `${availableParallelism()} × ${cpus()[0]?.model.trim()}`,
      results: measured,
    }
  }
  await writeFile(file, `${JSON.stringify(rows, rounded, 2)}\n`)
  await writeFile(join(folder, 'results.svg'), draw(Object.values(rows)))
  return table(Object.values(results).flat())
}

export function boundText(bound: Bound): string {
  if ('atLeast' in bound) return `at least ${bound.atLeast}`
  if ('atMost' in bound) return `at most ${bound.atMost}`
  if ('oursMax' in bound) return `ours at most ${bound.oursMax}`
  return `at most ${bound.atMostMore} more`
}

/** Measurements are not more exact than three digits. */
export const figure = (value: number): string =>
  value >= 100 ? String(Math.round(value)) : value.toPrecision(3)

const rounded = (_name: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(figure(value)) : value

function table(results: Result[]): string {
  const head = ['', '', 'floor', 'ours', 'ratio', 'bound', '']
  const lines = results.map(({ what, unit, floor, ours, ratio, bound, isMet }) => [
    what,
    unit,
    figure(floor),
    figure(ours),
    ratio.toFixed(2),
    boundText(bound),
    isMet ? 'pass' : 'FAIL',
  ])
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map(line => line[column]!.length)))
  const isFigure = (column: number) => column >= 2 && column <= 4
  const pad = (cell: string, column: number) =>
    isFigure(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return all.map(line => `${line.map(pad).join('  ').trimEnd()}\n`).join('')
}
