import { openSites, type Side } from '../linux/side.ts'
import type { AskedOfSites, ReportedOfSites } from '../linux/sites.ts'
import { inTurns, decide, type Bound, type Result, type Row, type Rounds } from '../row.ts'

// Websites of the panel next to the same ones served by a plain nginx and PHP that were configured
// by hand: requests a second and the slowest hundredth, how soon a visitor sees a changed setting,
// and the memory of quiet websites. Both are on one throw-away copy of this machine; root only.

const rounds = 5
const changes = 9
const memories = 3

type Load = 'static' | 'wordpress' | 'blog'
const titles: Record<Load, string> = {
  static: 'a file',
  wordpress: 'WordPress at /',
  blog: 'WordPress at /blog',
}

// Two measurements of the same differ by so much.
const bounds: Record<Load, { perSecond: Bound; p99: Bound }> = {
  static: { perSecond: { atLeast: 0.8 }, p99: { atMost: 1.25 } },
  wordpress: { perSecond: { atLeast: 0.95 }, p99: { atMost: 1.1 } },
  blog: { perSecond: { atLeast: 0.95 }, p99: { atMost: 1.1 } },
}

type Sites = Side<AskedOfSites, ReportedOfSites>

const measure: Row = async bench => {
  await using side = await openSites(bench)
  const results: Result[] = []
  for (const load of Object.keys(titles) as Load[]) results.push(...(await measureLoad(side, load)))
  results.push(await measureChange(side))
  return [...results, ...(await measureMemory(side))]
}

async function measureLoad(side: Sites, load: Load): Promise<Result[]> {
  const of = (web: 'floor' | 'ours') => async () =>
    (await side.ask({ web, load })) as { perSecond: number; p99: number }
  const figures = await inTurns(rounds, { floor: of('floor'), ours: of('ours') })
  const title = titles[load]
  return [
    decide(
      { what: `${title}: requests`, unit: 'requests/s', bound: bounds[load].perSecond },
      figures,
      ({ perSecond }) => perSecond,
    ),
    decide(
      { what: `${title}: the slowest of a hundred`, unit: 'ms (p99)', bound: bounds[load].p99 },
      figures,
      ({ p99 }) => p99,
    ),
  ]
}

async function measureChange(side: Sites): Promise<Result> {
  let number = 0
  const of = (web: 'floor' | 'ours') => async () =>
    ((await side.ask({ web, change: number++ })) as { ms: number }).ms
  const figures = await inTurns(changes, { floor: of('floor'), ours: of('ours') })
  const what = 'a redirect is set, until a visitor sees it'
  return decide({ what, unit: 'ms', bound: { oursMax: 100 } }, figures, ms => ms)
}

async function measureMemory(side: Sites): Promise<Result[]> {
  const of = async (memory: 'shared' | 'asleep' | 'awake' | 'smaller') =>
    ((await side.ask({ memory })) as { mb: number }).mb
  const seen: Record<'shared' | 'asleep' | 'awake' | 'smaller', number[]> = {
    ...{ shared: [], asleep: [], awake: [], smaller: [] },
  }
  for (let count = 0; count < memories; count++) {
    for (const kind of ['asleep', 'shared', 'awake', 'smaller'] as const) {
      seen[kind].push(await of(kind))
    }
  }
  const row = (
    what: string,
    [floor, ours]: ['shared' | 'awake', keyof typeof seen],
    bound: Bound,
  ) => {
    const figures: Rounds<number> = { floor: seen[floor], ours: seen[ours] }
    return decide({ what, unit: 'MB', bound }, figures, mb => mb)
  }
  return [
    row('the memory of 42 quiet websites, asleep', ['shared', 'asleep'], { atMost: 1 }),
    row('the same awake', ['shared', 'awake'], { atMost: 40 }),
    row('the same with half the memory for strings', ['awake', 'smaller'], { atMost: 0.9 }),
  ]
}

export default measure
