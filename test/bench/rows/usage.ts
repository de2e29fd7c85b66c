import pg from 'pg'
import { request, startGenerator } from '../load/load.ts'
import { as, openPanel } from '../panel.ts'
import { start } from '../processes.ts'
import { inTurns, judge, type Row } from '../row.ts'

// GET of what all accounts use, in one call, against one select of the same rows.

const accounts = 10_000
const rounds = 5
const durationMs = 3_000

const measure: Row = async bench => {
  await using panel = await openPanel(bench, 'usage', { tokens: 16, accounts: 1 })
  // It would measure the disk of accounts that have no files.
  await panel.worker[Symbol.asyncDispose]()
  await addAccounts(as('postgres', panel.databaseUrl))
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
  return [judge(about, measured, round => round.p50Ms)]
}

// As rows: the machine does not have to have them.
async function addAccounts(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
     select seller_id, package_id, 'many' || n, 'many@example.com', password_hash, 'active'
     from panel.accounts, generate_series(1, ${accounts - 1}) as n`,
  )
  await client.query(
    `insert into panel.disk_usage select id, id * 1000000, now() from panel.accounts
     on conflict do nothing`,
  )
  await client.query(
    `insert into panel.bandwidth_usage
     select id, date_trunc('month', now() at time zone 'UTC'), id * 2000000, now()
     from panel.accounts
     on conflict do nothing`,
  )
  await client.query('vacuum analyze')
  await client.end()
}

export default measure
