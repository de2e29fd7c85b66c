import t from 'tap'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { createToken, revokeToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'
import { generous, makeReseller } from '../support/reseller.ts'

// A token describes itself: its operator, its permission and the rest of the operator's plan.

const about = { serverName: 'panel.test', version: '1.2.3' }
const panel = await openPanel(t, { about })
const { call, pool } = panel
const get = (token: string | null) => call('GET', '/api/v1/token', { token })

t.test('shows an administrator’s token', async t => {
  t.match(await get(panel.token), { status: 200 })
  t.strictSame((await get(panel.token)).body, {
    owner: 'admin',
    role: 'administrator',
    seller: null,
    permission: 'Provisioning only',
    expires_at: null,
    plan: null,
    release: '1.2.3',
    server: 'panel.test',
  })
})

t.test('shows when a token expires', async t => {
  const expires_at = new Date(Date.now() + 86_400_000)
  const { id, token } = await createToken(pool, { owner: 'admin', name: 'short' })
  await pool.query('update panel.tokens set expires_at = $2 where id = $1', [id, expires_at])
  t.equal((await get(token)).body.expires_at, expires_at.toISOString())
  await revokeToken(pool, id)
  t.equal((await get(token)).status, 401)
  t.equal((await get(null)).status, 401)
})

t.test('shows a token that may only read events', async t => {
  const permission = 'Read events'
  const { token } = await createToken(pool, { owner: 'admin', name: 'events', permission })
  t.match(await get(token), { status: 200, body: { owner: 'admin', permission } })
  t.equal((await call('GET', '/api/v1/accounts', { token })).status, 403)
})

t.test('shows a reseller’s token, with the rest of its plan', async t => {
  const { token } = await makeReseller(pool, 'shop', {
    ...{ max_accounts: 3, disk_mb: 5_000, max_sites: 10, memory_mb: 600, cpu_percent: 150 },
  })
  const plan = async () => (await get(token)).body.plan
  const ceilings = {
    memory_mb: { limit: 600, used: 0, left: 600 },
    cpu_percent: { limit: 150, used: 0, left: 150 },
  }
  t.match((await get(token)).body, { owner: 'shop', role: 'reseller', seller: 'shop' })
  t.strictSame(await plan(), {
    max_accounts: { limit: 3, used: 0, left: 3 },
    disk_mb: { limit: 5_000, used: 0, left: 5_000 },
    max_sites: { limit: 10, used: 0, left: 10 },
    ...ceilings,
  })
  await call('PUT', '/api/v1/packages/starter', { token, body: { disk_mb: 2_000, max_sites: 4 } })
  for (const username of ['anna', 'bert']) {
    await call('POST', '/api/v1/accounts', { token, body: { ...alice, username, domain: null } })
  }
  const used = {
    max_accounts: { limit: 3, used: 2, left: 1 },
    disk_mb: { limit: 5_000, used: 4_000, left: 1_000 },
    max_sites: { limit: 10, used: 8, left: 2 },
    ...ceilings,
  }
  t.strictSame(await plan(), used)
  // Accounts of others are not its own.
  await makeReseller(pool, 'other')
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  await call('POST', '/api/v1/accounts', { body: alice })
  t.strictSame(await plan(), used)
  await setPlan(pool, 'shop', { ...generous, max_accounts: 1 })
  t.match(await plan(), { max_accounts: { limit: 1, used: 2, left: 0 } }, 'never below 0')
  await call('DELETE', '/api/v1/accounts/anna', { token })
  t.match(await plan(), { max_accounts: { limit: 1, used: 1, left: 0 } })
})

t.test('shows a reseller’s token without a plan', async t => {
  const { token } = await makeReseller(pool, 'planless', null)
  t.match((await get(token)).body, { role: 'reseller', seller: 'planless', plan: null })
})

t.test('takes no query and changes nothing', async t => {
  const asked = await call('GET', '/api/v1/token?owner=admin')
  t.match(asked, { status: 400, body: { error: 'Unknown query parameter: owner' } })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, headers } = await call(method, '/api/v1/token')
    t.strictSame([status, headers.get('allow')], [405, 'GET, HEAD'], method)
  }
})
