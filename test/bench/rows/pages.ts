import { openPool } from '../../../src/db.ts'
import { getOperator } from '../../../src/model/sellers/operators.ts'
import { openOperatorSession } from '../../../src/model/signing-in/sessions.ts'
import { addAccounts, addPast } from '../accounts.ts'
import { startGenerator, visit } from '../load/load.ts'
import { as, openPanel, type Panel } from '../panel.ts'
import { start } from '../processes.ts'
import { inTurns, decide, type Result, type Row } from '../row.ts'

// Pages of an administrator among many accounts with a past, each as a browser opens it, against
// what they show as JSON; and the search, which has an answer at once.

const accounts = 10_000
const rounds = 5
const durationMs = 3_000

const measure: Row = async bench => {
  await using panel = await openPanel(bench, 'pages', { tokens: 1, accounts: 1 })
  // It would measure the disk of accounts without files.
  await panel.worker[Symbol.asyncDispose]()
  await addAccounts(as('postgres', panel.databaseUrl), accounts - 1)
  await addPast(as('postgres', panel.databaseUrl))
  const cookie = await signIn(panel)
  await using floor = await start('test/bench/floor/pages.ts', {
    args: [as('panel_owner', panel.databaseUrl)],
  })
  await using generator = startGenerator()
  const side = (port: number, path: string) => () =>
    generator.run({ port, durationMs, lanes: [[visit(path, cookie)]] })

  const results: Result[] = []
  for (const { what, path, bound } of opened) {
    const measured = await inTurns(rounds, {
      floor: side(floor.port, path),
      ours: side(panel.api.port, path),
    })
    results.push(decide({ what, unit: 'ms (p50)', bound }, measured, round => round.p50Ms))
  }
  return results
}

const opened = [
  { what: `page of ${accounts} accounts`, path: '/accounts', bound: { atMost: 3 } },
  { what: 'page of one of them', path: '/accounts/many7777', bound: { atMost: 3 } },
  { what: 'search among them', path: '/search?q=many7777', bound: { oursMax: 50 } },
]

async function signIn({ databaseUrl }: Panel): Promise<string> {
  const pool = openPool(databaseUrl, 'panel_owner', 1)
  const { id } = await getOperator(pool, 'admin')
  const value = await openOperatorSession(pool, id, { address: '127.0.0.1', browser: undefined })
  await pool.end()
  return `panel=${value}`
}

export default measure
