import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Measured } from '../bench/report.ts'

const folder = join(import.meta.dirname, '../../docs/benchmarks')
const rows = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')) as Record<
  string,
  Measured
>
// Figures without separators of thousands.
const lines = readFileSync(join(folder, 'README.md'), 'utf8')
  .replaceAll(/(?<=\d),(?=\d)/g, '')
  .split('\n')
  .map(line => line.split('|').map(cell => cell.trim()))

t.test('the page of benchmarks has the recorded figures', t => {
  for (const { results } of Object.values(rows)) {
    for (const { what, unit, floor, ours, ratio, isMet } of results) {
      const [, , , takes, panel, ratioCell, , met] = lines.find(
        ([, , , floorCell, oursCell]) =>
          floorCell === `${floor} ${unit}` && oursCell === `${ours} ${unit}`,
      ) ?? [what]
      if (takes === undefined || panel === undefined) t.fail(`${what}: ${floor}, ${ours} ${unit}`)
      else t.strictSame([ratioCell, met], [String(ratio), isMet ? 'yes' : '**no**'], what)
    }
  }
  t.end()
})

t.test('each table of benchmarks is of one kind of machine', t => {
  let heading = ''
  for (const [index, cells] of lines.entries()) {
    if (cells[0]?.startsWith('## On ')) heading = cells[0]
    const row = Object.values(rows).find(({ results }) =>
      results.some(({ floor, unit }) => cells[3] === `${floor} ${unit}`),
    )
    if (row === undefined) continue
    const [kind = ''] = /AMD EPYC|Intel/.exec(row.processor) ?? []
    t.ok(heading.includes(kind) && kind !== '', `line ${index + 1}: ${row.processor}`)
  }
  t.end()
})
