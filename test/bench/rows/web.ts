import { openSide } from '../linux/side.ts'
import type { AskedOfWeb } from '../linux/web.ts'
import { inTurns, decide, type Bound, type Result, type Row } from '../row.ts'

// The processor time that nginx takes for a request and for a handshake where a website is a folder
// that is looked up, against a file of nginx's configuration for each website, with 1,000 names and
// certificates. Both are in one throw-away copy of this machine, started by systemd; root only.

const rounds = 7
// Two measurements of the same differ by so much.
const same = { atMost: 1.05 }
const measured: { kind: AskedOfWeb['kind']; count: number; bound: Bound }[] = [
  { kind: 'static', count: 10_000, bound: same },
  { kind: 'php', count: 3_000, bound: { atMost: 1.25 } },
  { kind: 'front', count: 3_000, bound: { atMost: 1.5 } },
  { kind: 'resumed handshake', count: 1_000, bound: same },
  // Key and certificate are read at each (docs/decisions/0028-websites-without-reloads.md).
  { kind: 'full handshake', count: 1_000, bound: { oursMax: 1_300 } },
]

const measure: Row = async bench => {
  await using side = await openSide(bench, 'web')
  const results: Result[] = []
  for (const { kind, count, bound } of measured) {
    const of = (web: AskedOfWeb['web']) => async () => (await side.ask({ web, kind, count })).ms
    const figures = await inTurns(rounds, { floor: of('floor'), ours: of('ours') })
    results.push(decide({ what: `nginx: ${kind}`, unit: 'µs of CPU', bound }, figures, us => us))
  }
  return results
}

export default measure
