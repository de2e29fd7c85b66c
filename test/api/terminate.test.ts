import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

let failing: string | undefined
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (step === failing) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

t.test('terminate answers the last record, and the account is gone', async t => {
  const gone = await call('DELETE', '/api/v1/accounts/alice', { key: 'one' })
  t.match(gone, { status: 200, body: { username: 'alice', state: 'terminated', sites: [Object] } })
  t.equal((await call('GET', '/api/v1/accounts/alice')).status, 404)
  t.match(await call('GET', '/api/v1/accounts'), { body: { accounts: [] } })
  t.equal((await call('DELETE', '/api/v1/accounts/alice')).status, 404)
  const replay = await call('DELETE', '/api/v1/accounts/alice', { key: 'one' })
  t.equal(replay.text, gone.text)
  const { rows } = await pool.query('select name from panel.events order by id offset 2')
  t.strictSame(rows, [{ name: 'site.deleted' }, { name: 'account.deleted' }])
  t.notMatch(await readFile(join(panel.root, 'etc/passwd'), 'utf8'), /alice/)
  t.strictSame(await readdir(join(panel.root, 'var/lib/panel/web/names')), [])
})

t.test('its name and domain are free at once, for another uid', async t => {
  t.equal((await call('POST', '/api/v1/accounts', { body: alice })).status, 201)
  const { rows } = await pool.query('select uid from panel.accounts order by id')
  t.strictSame(rows, [{ uid: 20_000 }, { uid: 20_001 }])
})

t.test('a suspended account can be terminated', async t => {
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  await call('POST', '/api/v1/accounts', { body })
  await call('POST', '/api/v1/accounts/bob/suspend')
  t.equal((await call('DELETE', '/api/v1/accounts/bob')).status, 200)
})

t.test('a terminate that fails only goes forward, until it is done', async t => {
  const body = { ...alice, username: 'carol', domain: 'carol.example' }
  await call('POST', '/api/v1/accounts', { body })
  failing = stepsOf('terminated')[0]
  const request = { key: 'terminate' }
  const answer = call('DELETE', '/api/v1/accounts/carol', request)
  await until(async () => {
    const { rows } = await pool.query(
      'select error from panel.operations where key = $1 and due_at > now()',
      [request.key],
    )
    return rows[0]?.error === 'staged'
  })
  const meanwhile = await call('GET', '/api/v1/accounts/carol')
  t.match(meanwhile, { status: 200, body: { state: 'terminating' } })
  t.equal((await call('DELETE', '/api/v1/accounts/carol', request)).status, 409)
  failing = undefined
  await pool.query('update panel.operations set due_at = now() where key = $1', [request.key])
  t.match(await answer, { status: 200, body: { state: 'terminated' } })
})
