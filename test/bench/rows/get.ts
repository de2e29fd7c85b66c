import { request, startGenerator } from '../load/load.ts'
import { as, openPanel } from '../panel.ts'
import { start } from '../processes.ts'
import { inTurns, decide, type Row } from '../row.ts'

// GET of one account, authenticated and counted, against one prepared query and nothing else.

const connections = 32
const rounds = 5
const durationMs = 3_000

const measure: Row = async bench => {
  await using panel = await openPanel(bench, 'get', { tokens: 256, accounts: 16 })
  await using floor = await start('test/bench/floor/get.ts', {
    args: [as('panel_owner', panel.databaseUrl)],
  })
  await using generator = startGenerator()
  const { tokens, accounts } = panel
  const lanes = Array.from({ length: connections }, (_, lane) =>
    tokens
      .filter((_, index) => index % connections === lane)
      .map(token => request('GET', `/api/v1/accounts/${accounts[lane % accounts.length]}`, token)),
  )
  const side = (port: number) => () => generator.run({ port, durationMs, lanes })
  const measured = await inTurns(rounds, { floor: side(floor.port), ours: side(panel.api.port) })
  const about = {
    what: `GET one account, ${connections} connections`,
    unit: 'requests/s',
    bound: { atLeast: 0.4 },
  }
  return [decide(about, measured, round => round.perSecond)]
}

export default measure
