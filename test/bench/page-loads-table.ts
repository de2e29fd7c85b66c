import { availableParallelism, cpus, loadavg } from 'node:os'

/** The loads of a page: with nothing kept by the browser, and again. */
export type Load = {
  who: string
  path: string
  first: { lcpMs: number; bytes: number }
  again: { lcpMs: number; bytes: number }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2)
const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1)
const headings: Record<string, string> = {
  admin: 'Administrator',
  rita: 'Reseller',
  alice: 'Customer',
  'a visitor': 'Signed out',
}

/** Returns docs/benchmarks/pages.md. */
export function tableOf(
  loads: readonly Load[],
  { accounts, slowdown }: { accounts: number; slowdown: number },
): string {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`
  const day = new Date().toISOString().slice(0, 10)
  const byRole = Map.groupBy(loads, ({ who }) => who)
  const slowest = loads.toSorted((one, other) => other.first.lcpMs - one.first.lcpMs)[0]!
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
  const sections = [...byRole].map(([who, own]) =>
    [
      `## ${headings[who] ?? who}`,
      '',
      ...table(
        ['Page', 'First LCP', 'First kB', 'Next LCP', 'Next kB'],
        own.map(({ path, first, again }) => [
          `\`${path}\``,
          seconds(first.lcpMs),
          kilobytes(first.bytes),
          seconds(again.lcpMs),
          kilobytes(again.bytes),
        ]),
      ),
    ].join('\n'),
  )
  const firsts = loads.map(({ first }) => first)
  const agains = loads.map(({ again }) => again)
  const count = accounts.toLocaleString('en')
  return `# Pages

\`npm run page-loads\` writes this page. It opens each page of a panel with ${count} accounts in
Chromium at 360 px, on slow 4G (150 ms, 1.6 Mbit/s) and a processor at 1/${slowdown} of its speed:
first with nothing kept by the browser, then again. LCP (largest contentful paint) is in seconds
from the request until the largest part is shown; kB (1,000 bytes) are those on the network.

Measured on ${day} on ${machine}, with a load of ${loadavg()[1]!.toFixed(1)}: other work on the
machine makes all times longer.

${table(
  ['Of ' + loads.length + ' pages', 'LCP', 'kB'],
  [
    [
      'First load, median',
      seconds(median(firsts.map(one => one.lcpMs))),
      kilobytes(median(firsts.map(one => one.bytes))),
    ],
    [
      'First load, most',
      seconds(slowest.first.lcpMs),
      kilobytes(Math.max(...firsts.map(one => one.bytes))),
    ],
    [
      'Next load, median',
      seconds(median(agains.map(one => one.lcpMs))),
      kilobytes(median(agains.map(one => one.bytes))),
    ],
    [
      'Next load, most',
      seconds(Math.max(...agains.map(one => one.lcpMs))),
      kilobytes(Math.max(...agains.map(one => one.bytes))),
    ],
  ],
).join('\n')}

${sections.join('\n\n')}
`
}

// Returns the lines of a table, aligned as prettier aligns them.
function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((name, at) =>
    Math.max(3, name.length, ...rows.map(row => row[at]!.length)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)]
}
