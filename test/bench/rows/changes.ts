import type { Verb } from '../linux/machine.ts'
import { openPanelSide, openSide, type Side } from '../linux/side.ts'
import { inTurns, decide, type Row } from '../row.ts'

// Measures how soon a visitor sees that an account was suspended, unsuspended or terminated on the
// Linux host, from the call on, next to the bare tools in a shell. An unsuspended website is seen
// when its PHP answers. Each side has a throw-away copy of this machine, started by systemd; root
// only.

const rounds = 15
const verbs: Verb[] = ['suspend', 'unsuspend', 'terminate']

const measure: Row = async bench => {
  await using bare = await openSide(bench, 'own')
  await using ours = await openPanelSide(bench, 'changes')
  const measured = await inTurns(rounds, { floor: () => live(bare), ours: () => live(ours) })
  return verbs.map(verb =>
    decide(
      { what: `${verb}, until a visitor sees it`, unit: 'ms', bound: { oursMax: 100 } },
      measured,
      ms => ms[verb],
    ),
  )
}

async function live(side: Side): Promise<Record<Verb, number>> {
  await side.ask({ creates: 1, inFlight: 1 })
  const of = async (change: Verb) => (await side.ask({ change })).ms
  return {
    suspend: await of('suspend'),
    unsuspend: await of('unsuspend'),
    terminate: await of('terminate'),
  }
}

export default measure
