import * as fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { until } from '../support/until.ts'

// Operations of a rebuild: only those whose worker died are recorded as interrupted.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool, databaseUrl, root } = panel
let worker = await panel.startWorker()
await call('PUT', '/api/v1/packages/starter', { body: {} })
for (const username of ['alice', 'bob']) {
  const body = { ...alice, username, domain: `${username}.example` }
  await call('POST', '/api/v1/accounts', { body })
}

const rebuild = () =>
  pool.query('select panel.rebuild_accounts(array_agg(id)) from panel.accounts a')
const ended = () =>
  until(async () => {
    const { rowCount } = await pool.query(
      `select from panel.operations where state not in ('done', 'failed')`,
    )
    const { rows } = await pool.query(
      `select username, state, jsonb_path_query_array(earlier_starts, '$[*].error') as earlier
       from panel.operations
       where name = 'account/apply' and state in ('done', 'failed')
       order by arrival desc limit 2`,
    )
    return rowCount === 0 && new Map(rows.map(({ username, ...row }) => [username, row]))
  })

t.test('a rebuild that fails was not interrupted', async t => {
  await pool.query('alter table panel.sites drop constraint if exists sites_domain_check')
  await pool.query(`update panel.sites set domain = 'no domain;' where domain = 'alice.example'`)
  await rebuild()
  const seen = await ended()
  t.strictSame(seen.get('alice'), { state: 'failed', earlier: null })
  t.strictSame(seen.get('bob'), { state: 'done', earlier: null })
  await pool.query(`update panel.sites set domain = 'alice.example' where domain = 'no domain;'`)
})

t.test('one whose worker is killed was, as often as it was', async t => {
  await until(async () => {
    const { rowCount } = await pool.query('select from panel.accounts where not is_applied')
    return rowCount === 0
  })
  await ended()
  await worker.stop()
  const args = [databaseUrl, root, 'websites', 'before']
  const killed = await startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
  fs.rmSync(join(root, 'var/lib/panel/web/names/alice.example'))
  await rebuild()
  await killed.exited
  worker = await panel.startWorker()
  const seen = await ended()
  t.strictSame(seen.get('alice'), { state: 'done', earlier: ['Interrupted'] })
  t.match(seen.get('bob'), { state: 'done' })
})
