import type { QueryConfig } from 'pg'
import t from 'tap'
import { openPool, type Db } from '../../src/db.ts'
import { rootCaller, type Caller } from '../../src/model/signing-in/callers.ts'
import { listHistory, recorded, type HistoryFilter } from '../../src/model/history/history.ts'
import { toCsv } from '../../src/model/history/history-csv.ts'
import { addOperator, getOperator } from '../../src/model/sellers/operators.ts'
import {
  endSession,
  findSession,
  openAccountSession,
  openOperatorSession,
} from '../../src/model/signing-in/sessions.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { signInAs } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const { token } = await makeReseller(pool, 'rita')
await panel.call('PUT', '/api/v1/packages/small', { token, body: {} })
const carl = { username: 'carl', password: 'correct horse', email: 'c@example.com' }
await panel.call('POST', '/api/v1/accounts', { token, body: { ...carl, package: 'small' } })
const api = openPool(panel.databaseUrl, 'panel_api', 4)
t.teardown(() => api.end())
const owner = openPool(panel.databaseUrl, 'panel_owner', 1)
t.teardown(() => owner.end())

const email = 'boss@example.com'
await addOperator(pool, { name: 'boss', role: 'administrator', email, password: 'a good one' })
const at = { address: '192.0.2.7', browser: 'Firefox' }
const idOf = async (username: string) =>
  (await pool.query('select id from panel.accounts where username = $1', [username])).rows[0].id
const session = async (cookie: string | undefined) =>
  (await findSession(api, cookie!, '192.0.2.7'))!
const asOperator = async (name: string) =>
  session(await openOperatorSession(api, (await getOperator(pool, name)).id, at))
const asAccount = async (name: string, parent?: string) =>
  session(await openAccountSession(api, await idOf(name), { ...at, parent: parent ?? null }))

const boss = await asOperator('boss')
const rita = await asOperator('rita')
const customer = await asAccount('alice')
const carls = await asAccount('carl')

const read = async (caller: Caller, filter?: HistoryFilter) =>
  (await listHistory(api, caller, filter)).map(({ who, action, about }) =>
    [who, action, about].join(' | '),
  )

t.test('operations and other changes, the latest first, to whom they concern', async t => {
  const all = await read(boss.caller)
  t.strictSame(all, [
    'carl | session/open | ',
    'alice | session/open | ',
    'rita | session/open | ',
    'boss | session/open | ',
    'rita, token billing | account/create | carl',
    'rita, token billing | package/set | ',
    'admin, token test | account/create | alice',
    'admin, token test | package/set | ',
  ])
  t.strictSame(await read(rita.caller), [all[0], all[2], all[4], all[5]])
  t.strictSame(await read(customer.caller), [all[1], all[6]])
  t.strictSame(await read(carls.caller), [all[0], all[4]])
})

t.test('an operation is kept when its row goes, and listed once', async t => {
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  const before = await listHistory(api, boss.caller)
  t.match(before[0], {
    who: 'admin, token test',
    action: 'account/create',
    channel: 'api',
    role: 'administrator',
    address: '127.0.0.1',
    outcome: 'refused',
    reason: 'username_taken',
  })
  await pool.query(`update panel.operations set created_at = created_at - interval '25 hours'`)
  const aged = await listHistory(api, boss.caller)
  await pool.query('select panel.purge(1000)')
  t.equal((await pool.query('select from panel.operations')).rowCount, 0)
  const plain = (entries: typeof aged) => entries.map(({ cursor, ...entry }) => entry)
  t.strictSame(plain(await listHistory(api, boss.caller)), plain(aged))
  t.equal(aged.length, before.length)
})

t.test('a failure is not recorded, nor a rolled back change', async t => {
  const count = async () => (await pool.query('select from panel.history')).rowCount
  const before = await count()
  const root = await rootCaller(pool)
  const change = { action: 'token/create', about: 'nobody' } as const
  await t.rejects(
    recorded(owner, root, change, db => createToken(db, { owner: 'nobody', name: 'x' })),
  )
  await t.rejects(
    recorded(api, root, change, async () => undefined),
    /no caller here is root/,
    'HTTP requests are never root',
  )
  t.equal(await count(), before)
  await recorded(owner, root, change, db => createToken(db, { owner: 'rita', name: 'x' }))
  t.equal(await count(), before! + 1)
})

t.test('the history can be filtered and read page by page', async t => {
  const all = await listHistory(api, boss.caller)
  const pages = []
  let before: string | undefined
  for (;;) {
    const page = await listHistory(api, boss.caller, { limit: 3, before })
    if (page.length === 0) break
    pages.push(...page)
    before = page.at(-1)!.cursor
  }
  t.strictSame(pages, all)
  t.equal((await read(boss.caller, { account: 'carl' })).length, 2)
  t.equal((await read(boss.caller, { who: 'rita' })).length, 3, 'and what its tokens did')
  t.equal((await read(boss.caller, { action: 'session' })).length, 4)
  t.equal((await read(boss.caller, { action: 'account/create', channel: 'api' })).length, 3)
  t.equal((await read(boss.caller, { until: new Date(0) })).length, 0)
  t.equal((await read(rita.caller, { account: 'alice' })).length, 0, 'nothing of others')
  await t.rejects(read(boss.caller, { before: 'x' }), /is not a position in the history/)
  await t.rejects(read(boss.caller, { action: `x' or true` }), /must be an action/)
})

t.test('an impersonating operator is named, without the address for the customer', async t => {
  const child = await asAccount('alice', boss.id)
  await endSession(api, child)
  const [ended, opened] = await listHistory(api, customer.caller)
  t.match(opened, { who: 'boss', action: 'session/open-as', about: 'alice', address: null })
  t.match(ended, { who: 'alice, signed in as by boss', action: 'session/end', address: null })
  t.match((await listHistory(api, boss.caller))[0], { address: '192.0.2.7' })
  const own = await listHistory(api, customer.caller, { action: 'session/open', who: 'alice' })
  t.match(own, [{ address: '192.0.2.7' }])
})

t.test('as CSV no name becomes a formula', async t => {
  const [entry] = await listHistory(api, boss.caller)
  const spoilt = { ...entry!, who: '=1+1', about: 'a "name", and\nmore', at: new Date(0) }
  t.equal(
    toCsv([spoilt]),
    'at,who,role,channel,address,action,about,subject,outcome,reason\r\n' +
      `1970-01-01T00:00:00.000Z,'=1+1,customer,page,192.0.2.7,session/end,` +
      '"a ""name"", and\nmore",,done,\r\n',
  )
})

t.test('an operation names its subject, and its reason to those who may see it', async t => {
  const ask = (method: string, path: string, body: object) =>
    panel.call(method, `/api/v1${path}`, { body })
  const newest = async (caller: Caller = boss.caller) =>
    (await listHistory(api, caller)).find(({ action }) => !action.startsWith('session/'))
  const reason = 'Invoice 17 is not paid'
  const web = await signInAs(panel, 'alice')
  const add = (domain: string) => web.submit('/account/sites/new', { domain })
  await add('shop.alice.example')
  const added = { action: 'site/add', about: 'alice', subject: 'shop.alice.example' }
  t.match(await newest(), added)
  t.match(await newest(customer.caller), added)
  await add('shop.alice.example')
  t.match(await newest(), { ...added, outcome: 'refused' })
  await ask('POST', '/accounts/alice/suspend', { reason: 'x'.repeat(501) })
  t.match(await newest(), { subject: null, outcome: 'refused' }, 'nothing that could not be read')
  await ask('PUT', '/packages/large', { max_sites: 9 })
  t.match(await newest(), { action: 'package/set', about: null, subject: 'large' })
  await ask('PUT', '/accounts/alice/package', { package: 'large' })
  t.match(await newest(), { action: 'account/change-package', subject: 'large' })
  await ask('PUT', '/accounts/alice/password', { password: 'a secret of alice' })
  t.match(await newest(), { action: 'account/set-password', subject: null })
  await ask('POST', '/accounts/alice/suspend', { reason })
  t.match(await newest(), { action: 'account/suspend', about: 'alice', subject: reason })
  const seen = await newest(customer.caller)
  t.match(seen, { action: 'account/suspend', about: 'alice', subject: null })
  await ask('POST', '/accounts/alice/unsuspend', {})
  const subjects = async () =>
    (await listHistory(api, boss.caller, { account: 'alice' })).map(({ subject }) => subject)
  const before = await subjects()
  t.ok(before.includes(reason) && before.includes('starter, alice.example'), `${before}`)
  await pool.query(`update panel.operations set created_at = created_at - interval '25 hours'`)
  await pool.query('select panel.purge(1000)')
  t.strictSame((await subjects()).sort(), before.sort(), 'its row goes, and its entry stays')
})

t.test('words that few lines have are found without a look at all lines', async t => {
  await pool.query(`
    insert into panel.history (channel, who, action)
    select 'api', 'admin, token billing', 'account/suspend' from generate_series(1, 20000)`)
  await pool.query('analyze panel.history')
  const plans: string[] = []
  const explained: Db = {
    query: async ({ text, values }: QueryConfig) => {
      const { rows } = await api.query<object>(`explain ${text}`, values)
      plans.push(rows.flatMap(Object.values).join('\n'))
      return { rows: [] }
    },
  } as unknown as Db
  for (const filter of [{ who: 'nobody' }, { action: 'sftp' }, { channel: 'cli' }] as const) {
    await listHistory(explained, boss.caller, filter)
    t.notMatch(plans.at(-1), 'Seq Scan on history', JSON.stringify(filter))
  }
})

t.test('history is written only by its functions', async t => {
  for (const statement of [
    'delete from panel.history',
    `update panel.history set who = 'x'`,
    `insert into panel.history (channel, who, action) values ('page', 'x', 'a/b')`,
  ]) {
    await t.rejects(api.query(statement), { code: '42501' }, statement)
  }
})
