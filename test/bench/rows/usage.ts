import { addAccounts } from '../accounts.ts'
import { request, startGenerator } from '../load/load.ts'
import { as, openPanel } from '../panel.ts'
import { start } from '../processes.ts'
import { inTurns, decide, type Row } from '../row.ts'

// GET of the usage of all accounts in one call, against one select of the same rows.

const accounts = 10_000
const rounds = 5
const durationMs = 3_000

const measure: Row = async bench => {
  await using panel = await openPanel(bench, 'usage', { tokens: 16, accounts: 1 })
  // It would measure the disk of accounts without files.
  await panel.worker[Symbol.asyncDispose]()
  await addAccounts(as('postgres', panel.databaseUrl), accounts - 1)
  await using floor = await start('test/bench/floor/usage.ts', {
    args: [as('panel_owner', panel.databaseUrl)],
  })
  await using generator = startGenerator()
  const lanes = [panel.tokens.map(token => request('GET', '/api/v1/usage', token))]
  const side = (port: number) => () => generator.run({ port, durationMs, lanes })
  const measured = await inTurns(rounds, { floor: side(floor.port), ours: side(panel.api.port) })
  const about = {
    what: `GET /usage with ${accounts} accounts`,
    unit: 'ms (p50)',
    bound: { atMost: 2 },
  }
  return [decide(about, measured, round => round.p50Ms)]
}

export default measure
