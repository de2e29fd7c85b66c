import { dirname } from 'node:path'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// The rules for databases, as the rows apply them: nothing here has a MariaDB.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const database = (...words: string[]) => callPanel(['database', ...words], environment)
const begin = (...words: string[]) => database(...words, '--wait', '0', '--json')

await call('PUT', '/api/v1/packages/starter', { body: { max_databases: 2 } })
const worker = await panel.startWorker()
await call('POST', '/api/v1/accounts', { body: alice })
await worker.stop()
// The same on any machine.
await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")

const names = async () => {
  const { rows } = await pool.query(
    `select name, desired from panel.databases union all
     select name, desired from panel.database_users order by 1`,
  )
  return rows.map(({ name, desired }) => `${name} ${desired}`)
}

t.test('names are reserved with the request, and free again with its cancel', async t => {
  const { id } = (await begin('add', 'alice', 'shop')).json()
  t.strictSame(await names(), ['alice_shop reserved', 'alice_shop reserved'])
  t.match(await database('add', 'alice', 'shop'), { code: 1, stderr: /alice_shop is taken/ })
  t.match(await database('rm', 'alice', 'alice_shop', '--yes'), { code: 1, stderr: /Unknown/ })
  t.match((await database('ls', 'alice', '--json')).json(), { databases: { length: 0 } })
  const { rows } = await pool.query(`select params from panel.operations where id = $1`, [id])
  t.strictSame(Object.keys(rows[0].params), ['database_id'])
  t.equal((await callPanel(['jobs', 'cancel', id], environment)).code, 0)
  t.strictSame(await names(), [])
})

t.test('reservations for nothing go with the purge', async t => {
  const { id } = (await begin('add', 'alice', 'lost')).json()
  await pool.query(
    `update panel.operations set state = 'failed', finished_at = now()
    where id = $1`,
    [id],
  )
  await pool.query('select panel.purge(100)')
  t.strictSame(await names(), [])
})

t.test('those that wait count, and a package that has no room for them is refused', async t => {
  const ids: string[] = []
  for (const name of ['one', 'two']) ids.push((await begin('add', 'alice', name)).json().id)
  t.match(await database('add', 'alice', 'three'), { code: 1, stderr: /allows 2 databases/ })
  await call('PUT', '/api/v1/packages/single', { body: { max_databases: 1 } })
  const change = await call('PUT', '/api/v1/accounts/alice/package', {
    body: { package: 'single' },
  })
  t.match(change, {
    status: 400,
    body: { error: /single allows 1 database; the account has more/ },
  })
  t.equal(change.headers.get('x-panel-reason'), 'too_many_databases')
  for (const id of ids) await callPanel(['jobs', 'cancel', id], environment)
  t.strictSame(await names(), [])
})

t.test('without MariaDB the answer is a clear 503 that is not stored', async t => {
  await pool.query(
    `update panel.server set service_warnings = '{"databases": "MariaDB does not answer"}'`,
  )
  const key = ['--idempotency-key', 'again', '--json']
  const refused = await database('add', 'alice', 'shop', ...key)
  t.match(refused, { code: 1, stderr: /MariaDB does not answer.*"unavailable"/ })
  await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
  const { id } = (await database('add', 'alice', 'shop', ...key, '--wait', '0')).json()
  await callPanel(['jobs', 'cancel', id], environment)
})

t.test('no endpoint has any of it', async t => {
  for (const path of ['/api/v1/databases', '/api/v1/accounts/alice/databases']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      t.equal((await call(method, path)).status, 404, `${method} ${path}`)
    }
  }
  const { body } = await call('GET', '/api/v1/accounts/alice')
  t.notOk('databases' in body)
})

t.test('the API’s role reads no hash, and adds no row that the worker must refuse', async t => {
  const api = openPool(panel.databaseUrl, 'panel_api', 1)
  t.teardown(() => api.end())
  const { rows } = await pool.query('select id from panel.accounts')
  for (const statement of [
    'select hash from panel.database_users',
    'select * from panel.database_users',
    `insert into panel.databases (account_id, name) values (${rows[0].id}, 'alice_x')`,
    `update panel.databases set desired = 'absent'`,
    'delete from panel.database_grants',
    `select panel.account_databases(${rows[0].id})`,
    'select panel.write_desired_database(gen_random_uuid())',
    'select panel.find_database(gen_random_uuid())',
    'select panel.complete_databases(null, 1, true, false)',
    'select panel.restore_database(gen_random_uuid(), true)',
  ]) {
    await t.rejects(api.query(statement), { code: '42501' }, statement)
  }
  const claim = async () => {
    const { rows: claims } = await api.query(
      `select id from panel.claim_operation(
         'token:1', gen_random_uuid()::text, sha256('x'), false, null, null)`,
    )
    return claims[0].id as string
  }
  const good = `*${'A'.repeat(40)}`
  for (const [suffix, hash] of [
    ['Shop', good],
    ['a_b', good],
    ['', good],
    ['a\n', good],
    ["x'--", good],
    ['shop', 'clear'],
    ['shop', `${good}\n`],
    [null, good],
  ]) {
    for (const add of ['add_database', 'add_database_user']) {
      await t.rejects(
        api.query(`select panel.${add}($1, $2, $3, $4)`, [await claim(), rows[0].id, suffix, hash]),
        { code: '22000' },
        `${suffix} ${hash}`,
      )
    }
  }
  t.strictSame(await names(), [])
  await until(async () => (await names()).length === 0)
})
