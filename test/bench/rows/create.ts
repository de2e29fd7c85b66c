import { openPanelSide, openSide, type Side } from '../linux/side.ts'
import { inTurns, decide, type Bench, type Result, type Row } from '../row.ts'

// A create with a website on the Linux host, from the call until the account's own PHP answers,
// against the bare tools in a shell. Each side has a throw-away copy of this machine, started by
// systemd; root only.

const rounds = 15
const atOnce = { creates: 100, inFlight: 16 }
const manyRounds = 3
const certified = 1_000
const pools = 500

const measure: Row = async bench => [
  ...(await measureAlone(bench)),
  await measureAmongCertified(bench),
  await measureAgainstShared(bench),
]

async function measureAlone(bench: Bench): Promise<Result[]> {
  await using bare = await openSide(bench, 'own')
  await using ours = await openPanelSide(bench, 'create_alone')
  const alone = await inTurns(rounds, { floor: () => createOne(bare), ours: () => createOne(ours) })

  const many = await inTurns(manyRounds, {
    // One after the other, as a script does it.
    floor: async () => 10_000 / (await bare.ask({ creates: 10, inFlight: 1 })).ms,
    ours: async () => (atOnce.creates * 1_000) / (await ours.ask(atOnce)).ms,
  })
  const what = `${atOnce.creates} creates with website, ${atOnce.inFlight} in flight`
  return [
    decide(
      { what: 'create with website, one after the other', unit: 'ms', bound: { atMost: 1.3 } },
      alone,
      ms => ms,
    ),
    decide({ what, unit: 'accounts/s', bound: { atLeast: 3 } }, many, perSecond => perSecond),
  ]
}

// The floor is our own create where no other site is.
async function measureAmongCertified(bench: Bench): Promise<Result> {
  await using none = await openPanelSide(bench, 'create_among_none')
  await using many = await openPanelSide(bench, 'create_among_many')
  await many.ask({ others: certified })
  const measured = await inTurns(rounds, {
    floor: () => createOne(none),
    ours: () => createOne(many),
  })
  const what = `create with website among ${certified} sites with certificates`
  return decide({ what, unit: 'ms', bound: { atMost: 1.15 } }, measured, ms => ms)
}

async function measureAgainstShared(bench: Bench): Promise<Result> {
  await using shared = await openSide(bench, 'shared')
  await using ours = await openPanelSide(bench, 'create_against_shared')
  for (const side of [shared, ours]) await side.ask({ others: pools })
  const measured = await inTurns(rounds, {
    floor: () => createOne(shared),
    ours: () => createOne(ours),
  })
  const what = `create with website among ${pools} sites, one PHP master for all`
  return decide({ what, unit: 'ms', bound: { atMost: 0.8 } }, measured, ms => ms)
}

const createOne = async (side: Side): Promise<number> =>
  (await side.ask({ creates: 1, inFlight: 1 })).ms

export default measure
