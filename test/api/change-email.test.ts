import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

// PATCH /accounts/{username}: only the row changes, in the claim's own transaction.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice, headers: { prefer: 'respond-async' } })
const change = (body: object, key: string, token?: string) =>
  call('PATCH', '/api/v1/accounts/alice', { body, key, ...(token && { token }) })
const email = async () => (await call('GET', '/api/v1/accounts/alice')).body.email

t.test('the address follows, without the worker, once for its key', async t => {
  const changed = await change({ email: 'new@example.com' }, 'one')
  t.match(changed, { status: 200, body: { username: 'alice', email: 'new@example.com' } })
  await change({ email: 'newer@example.com' }, 'two')
  const repeat = await change({ email: 'new@example.com' }, 'one')
  t.equal(repeat.text, changed.text)
  t.equal(repeat.headers.get('idempotent-replayed'), 'true')
  t.equal(await email(), 'newer@example.com')
  t.match(await change({ email: 'newer@example.com' }, 'three'), { status: 200 })
  const { rows } = await pool.query(
    `select name, state, username from panel.operations where key = 'one'`,
  )
  t.strictSame(rows, [{ name: 'account/set-email', state: 'done', username: 'alice' }])
})

t.test('an invalid address or an unknown account changes nothing', async t => {
  for (const body of [{}, { email: 'no' }, { email: null }, { email: 'a@b.example', state: 'x' }]) {
    t.equal((await change(body, JSON.stringify(body))).status, 400, JSON.stringify(body))
  }
  const { token } = await makeReseller(pool, 'bigshop')
  t.equal((await change({ email: 'mine@example.com' }, 'theirs', token)).status, 404)
  const unknown = await call('PATCH', '/api/v1/accounts/ghost', { body: { email: 'a@b.example' } })
  t.match(unknown, { status: 404, body: { error: 'Unknown account: ghost' } })
  t.equal(await email(), 'newer@example.com')
})
