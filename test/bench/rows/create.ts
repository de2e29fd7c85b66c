import { openPanelSide, openSide, type Side } from '../linux/side.ts'
import { inTurns, judge, type Bench, type Result, type Row } from '../row.ts'

// A create with a website on the Linux host, from the call until the account's own PHP answers,
// against the bare tools in a shell. Each side has a throw-away copy of this machine; root only.

const rounds = 15
const others = 500
const atOnce = { creates: 100, inFlight: 16 }
const manyRounds = 3

const measure: Row = async bench => [
  ...(await measureAlone(bench)),
  ...(await measureAmongOthers(bench)),
]

async function measureAlone(bench: Bench): Promise<Result[]> {
  await using bare = await openSide(bench, 'own')
  await using ours = await openPanelSide(bench, 'create_alone')
  const alone = await inTurns(rounds, { floor: () => createOne(bare), ours: () => createOne(ours) })

  const many = await inTurns(manyRounds, {
    // One after the other, as a script does it.
    floor: async () => {
      const { ms } = await bare.ask({ creates: 10, inFlight: 1 })
      return { perSecond: 10_000 / ms, reloads: 1 }
    },
    ours: async () => {
      const { ms, reloads } = await ours.ask(atOnce)
      return { perSecond: (atOnce.creates * 1_000) / ms, reloads }
    },
  })
  const what = `${atOnce.creates} creates with website, ${atOnce.inFlight} in flight`
  const triple = { unit: 'accounts/s', bound: { atLeast: 3 } }
  const dozen = { unit: 'reloads', bound: { atMost: 12 } }
  return [
    judge({ what: 'create with website, one after the other', ...bounds }, alone, ms => ms),
    judge({ what, ...triple }, many, round => round.perSecond),
    judge({ what, ...dozen }, many, round => round.reloads),
  ]
}

const bounds = { unit: 'ms', bound: { atMost: 1.3 } }

async function measureAmongOthers(bench: Bench): Promise<Result[]> {
  await using bare = await openSide(bench, 'own')
  await using shared = await openSide(bench, 'shared')
  await using ours = await openPanelSide(bench, 'create_among')
  for (const side of [bare, shared, ours]) await side.ask({ others })
  const oursNow = () => createOne(ours)
  const own = await inTurns(rounds, { floor: () => createOne(bare), ours: oursNow })
  const one = await inTurns(rounds, { floor: () => createOne(shared), ours: oursNow })
  const what = `create with website among ${others} sites`
  return [
    judge({ what: `${what}, PHP masters of their own`, ...bounds }, own, ms => ms),
    judge(
      { what: `${what}, one PHP master for all`, unit: 'ms', bound: { atMost: 0.8 } },
      one,
      ms => ms,
    ),
  ]
}

const createOne = async (side: Side): Promise<number> =>
  (await side.ask({ creates: 1, inFlight: 1 })).ms

export default measure
