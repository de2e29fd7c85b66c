import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator, changePassword, getOperator } from '../../src/model/sellers/operators.ts'
import {
  endOthers,
  endSession,
  findSession,
  listSessions,
  openAccountSession,
  openOperatorSession,
  revokeSession,
} from '../../src/model/signing-in/sessions.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const api = openPool(panel.databaseUrl, 'panel_api', 4)
t.teardown(() => api.end())

const { rows } = await pool.query<{ id: string }>('select id from panel.accounts')
const accountId = rows[0]!.id
// Changes of the administrator's password would void the token of the test.
const email = 'boss@example.com'
await addOperator(pool, { name: 'boss', role: 'administrator', email, password: 'a good one' })
const admin = await getOperator(pool, 'boss')
const firefox = { address: '192.0.2.7', browser: 'Firefox' }

const asOperator = async (operatorId = admin.id) =>
  (await openOperatorSession(api, operatorId, firefox))!
const asAlice = async (parent?: string) =>
  (await openAccountSession(api, accountId, { ...firefox, ...(parent ? { parent } : {}) }))!
const found = async (cookie: string) => (await findSession(api, cookie)) !== undefined
const move = (cookie: string, what: string) =>
  pool.query(`update panel.sessions set ${what} where hash = sha256($1)`, [cookie])

t.test('a session says who is signed in, and for what it may ask', async t => {
  t.match(await findSession(api, await asOperator(), '192.0.2.7'), {
    caller: { role: 'administrator', accountId: null, address: '192.0.2.7' },
    name: 'boss',
    impersonator: null,
    formToken: /^[A-Za-z0-9_-]{43}$/,
  })
  const cookie = await asAlice()
  const session = (await findSession(api, cookie))!
  t.match(session, { caller: { id: `session:${session.id}`, role: 'customer', accountId } })
  t.equal(session.name, 'alice')
  t.not(session.formToken, cookie)
  t.equal((await findSession(api, cookie))?.formToken, session.formToken)
  t.equal(await findSession(api, 'A'.repeat(43)), undefined)
})

t.test('a session ends 12 hours after its last use, and after 7 days', async t => {
  const cookie = await asOperator()
  const left = async () => {
    const { rows } = await pool.query(
      `select round(extract(epoch from expires_at - now()) / 3600)::int as hours
       from panel.sessions where hash = sha256($1)`,
      [cookie],
    )
    return rows[0].hours
  }
  t.equal(await left(), 12)
  await move(cookie, `expires_at = now() + '1 hour'`)
  t.ok(await found(cookie))
  t.equal(await left(), 1, 'it is noted once a minute')
  await move(cookie, `last_seen_at = now() - interval '11 hours'`)
  t.ok(await found(cookie))
  t.equal(await left(), 12)
  await move(cookie, `last_seen_at = now() - interval '1 hour', ends_at = now() + '2 hours'`)
  t.ok(await found(cookie))
  t.equal(await left(), 2)
  await move(cookie, 'expires_at = now()')
  t.notOk(await found(cookie))
})

t.test('signing in as a customer ends with the own session, or after an hour', async t => {
  const owner = await asOperator()
  const session = (await findSession(api, owner))!
  const { id } = session
  const child = await asAlice(id)
  t.match(await findSession(api, child), {
    caller: { role: 'customer', accountId, impersonator: 'boss' },
    impersonator: { name: 'boss' },
  })
  const { rows } = await pool.query(
    `select ends_at <= now() + interval '1 hour' as short from panel.sessions
     where hash = sha256($1)`,
    [child],
  )
  t.strictSame(rows, [{ short: true }])
  t.ok(await endSession(api, session))
  t.notOk(await endSession(api, session), 'once')
  t.notOk(await found(child))
  t.equal(await openAccountSession(api, accountId, { ...firefox, parent: id }), undefined)

  const again = await asOperator()
  const second = await asAlice((await findSession(api, again))!.id)
  await changePassword(pool, 'boss', 'another good one')
  t.notOk(await found(again))
  t.notOk(await found(second))
})

t.test('a reseller signs in as its own customers alone', async t => {
  await makeReseller(pool, 'rita')
  const reseller = await getOperator(pool, 'rita')
  const cookie = await asOperator(reseller.id)
  const { id } = (await findSession(api, cookie))!
  t.equal(await openAccountSession(api, accountId, { ...firefox, parent: id }), undefined)
  await pool.query('update panel.sellers set suspended_at = now() where id = $1', [
    reseller.sellerId,
  ])
  t.notOk(await found(cookie), 'and is signed out while it is suspended')
  t.equal(await openOperatorSession(api, reseller.id, firefox), undefined)
})

t.test('suspension and a new password end the sessions of an account', async t => {
  const first = await asAlice()
  const set = '/api/v1/accounts/alice/password'
  const { status } = await panel.call('PUT', set, { body: { password: 'a new good one' } })
  t.equal(status, 200)
  t.notOk(await found(first))
  const second = await asAlice()
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  t.notOk(await found(second))
  t.equal(await openAccountSession(api, accountId, firefox), undefined)
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  t.notOk(await found(second))
})

t.test('everybody sees the own sessions, and ends them', async t => {
  const [one, two, other] = [await asAlice(), await asAlice(), await asOperator()]
  const { id, caller } = (await findSession(api, one))!
  const theirs = (await findSession(api, other))!
  const list = await listSessions(api, caller)
  t.match(
    list.filter(({ is_own }) => is_own),
    [{ id, address: '192.0.2.7', browser: 'Firefox', by: null }],
  )
  t.notOk(list.some(one => one.id === theirs.id))
  t.notOk(await revokeSession(api, caller, theirs.id))
  t.notOk(await revokeSession(api, caller, 'x'))
  t.ok(await found(other))
  t.equal(await endOthers(api, caller), list.length - 1)
  t.notOk(await found(two))
  t.ok(await found(one))
  t.equal((await listSessions(api, caller)).length, 1)
  t.ok(await revokeSession(api, caller, id))
  t.notOk(await found(one))
})

t.test('a blocked operation of a revoked session is not done; after signing out it is', async t => {
  const [kept, ended] = [await asAlice(), await asAlice()]
  gate.close()
  const begin = async (cookie: string) => {
    const { caller } = (await findSession(api, cookie))!
    const { rows } = await api.query<{ id: string }>(
      `select id from panel.claim_operation($1, 'key', sha256('x'), false, null, null)`,
      [caller.id],
    )
    await api.query('select panel.begin_operation($1, $2, $3, $4)', [
      ...[rows[0]!.id, 'account/set-password', accountId, {}],
    ])
    return rows[0]!.id
  }
  const first = await begin(kept)
  await gate.reached()
  const waiting = [await begin(ended), await begin(await asAlice())]
  const session = (await findSession(api, ended))!
  const asker = (await findSession(api, kept))!
  t.ok(await revokeSession(api, asker.caller, session.id))
  await endSession(api, asker)
  gate.open()
  const states = async () => {
    const { rows } = await pool.query(
      'select state, error from panel.operations where id = any ($1) order by arrival',
      [[first, ...waiting]],
    )
    return rows
  }
  await until(async () => (await states()).every(({ state }) => /done|failed/.test(state)))
  t.strictSame(await states(), [
    { state: 'done', error: null },
    { state: 'failed', error: 'The session was ended' },
    { state: 'done', error: null },
  ])
})

t.test('a session may write 60 times at once', async t => {
  const { id } = (await findSession(api, await asOperator()))!
  const taken = await Promise.all(
    Array.from({ length: 70 }, () => api.query('select panel.take_write($1) as ok', [id])),
  )
  const allowed = taken.filter(({ rows }) => rows[0].ok).length
  t.ok(allowed >= 60 && allowed < 65, `${allowed}`)
  await pool.query(`update panel.session_writes set free_at = now()`)
  t.ok((await api.query('select panel.take_write($1) as ok', [id])).rows[0].ok)
})
