import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { cancel } from '../../src/model/jobs/job-actions.ts'
import { domain, email, username } from '../../src/model/grammar/grammar.ts'
import { reservedUsernames } from '../../src/model/grammar/reserved-names.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// A client with the API's role, and not its code, adds no row that the worker must refuse, and
// reserves no name and no slot by rows that are never acted on.

const gate = openGate()
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
const api = openPool(panel.databaseUrl, 'panel_api', 1)
t.teardown(() => api.end())

const hash = '$6$salt$hash'

async function add(fields: Partial<Record<'username' | 'email' | 'hash' | 'domain', string>>) {
  const given = { ...alice, hash, ...fields }
  const { rows } = await api.query(
    `select c.id, c.refusal from panel.packages p, lateral panel.create_account(
       p.seller_id, p.id, $1, $2, $3, '$argon2id$', $4, 1000) c where p.name = 'starter'`,
    [given.username, given.email, given.hash, given.domain],
  )
  return rows[0] as { id: string; refusal: string | null }
}

const claim = async () => {
  const { rows } = await api.query<{ id: string }>(
    `select id from panel.claim_operation('token:1', $1, sha256('x'), false, null, null)`,
    [randomUUID()],
  )
  return rows[0]!.id
}

const rowsOf = async () => {
  const { rows } = await pool.query(
    `select (select count(*)::int from panel.accounts) as accounts,
       (select count(*)::int from panel.sites) as sites,
       (select count(*)::int from panel.site_names) as names,
       (select count(*)::int from panel.operations
        where state not in ('done', 'failed')) as in_progress`,
  )
  return rows[0]
}

async function purge() {
  await pool.query(`select worker_queue.add_job('maintenance/purge')`)
}

const nothing = { accounts: 0, sites: 0, names: 0, in_progress: 0 }

const label = 'a'.repeat(63)
const long = `${label}.${label}.${label}.${'a'.repeat(49)}.example`
const texts: Record<string, string[]> = {
  username: [
    ...['ab', 'a1', 'a-b_c-9', 'b'.repeat(32), 'rooty', ...reservedUsernames],
    ...['b', '1b', 'b'.repeat(33), 'bob-', '_bob', 'Bob', 'böb', 'bob\n', '--root=/', '../etc', ''],
  ],
  email: [
    ...[
      'a@b.example',
      "o'neil.b+c-d_e@sub.b-c.example",
      '.a@b.example',
      'a..b@c.example',
      'a.@b.co',
    ],
    ...[
      'a@b',
      'a@b.c',
      'a@-b.example',
      'a@b_c.example',
      'a b@c.example',
      'a@b.example\n',
      'ä@b.example',
    ],
    ...[
      `${'a'.repeat(242)}@b.example`,
      `${'a'.repeat(246)}@b.example`,
      '@b.example',
      'a@.example',
      '',
    ],
  ],
  domain: [
    ...['a.example', 'www.a.example', '1.example', 'xn--p1ai.example', 'a--b.c-d.example', long],
    ...['a', 'A.example', '-a.example', 'a-.example', 'a..example', 'a.example.', 'a.1', 'a.0x7f'],
    ...[
      'a b.example',
      'a.example; include /etc/shadow',
      'a.example\n',
      'ä.example',
      `a${label}.b`,
      '',
    ],
  ],
}
const grammars = { username, email, domain }

t.test('the database has the grammars of the code', async t => {
  for (const [name, grammar] of Object.entries(grammars)) {
    for (const text of texts[name]!) {
      const { rows } = await pool.query(`select panel.is_${name}($1) as fits`, [text])
      t.equal(rows[0].fits, grammar.safeParse(text).success, `${name} ${JSON.stringify(text)}`)
    }
  }
  // A name that cannot be visited, or has no room for `www.`, is no website.
  for (const text of ['a.localhost', 'localhost.local', '1.168.192.in-addr.arpa', `a.${long}`]) {
    const { rows } = await pool.query('select panel.is_domain($1) as fits', [text])
    t.notOk(rows[0].fits, text)
  }
})

t.test('a value that fits no grammar is not added', async t => {
  const spoilt = [
    { username: 'www-data' },
    { username: '../../etc' },
    { email: 'nobody' },
    { domain: 'a.example; include /etc/shadow' },
    { domain: 'WWW.a.example' },
    { hash: 'x' },
    { hash: `${hash}\nroot:x` },
    { hash: `$6$${'a'.repeat(198)}` },
  ]
  for (const fields of spoilt) {
    await t.rejects(add(fields), { code: '22000' }, JSON.stringify(fields))
  }
  t.strictSame(await rowsOf(), nothing)
  await call('POST', '/api/v1/accounts', { body: alice })
  const id = await claim()
  await t.rejects(
    api.query(`select panel.add_site($1, id, 'b.example; x') from panel.accounts`, [id]),
    { code: '22000' },
  )
  await t.rejects(api.query(`select panel.set_email(id, 'nobody') from panel.accounts`), {
    code: '22000',
  })
  t.match(await call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
  await purge()
  await until(async () => (await rowsOf()).in_progress === 0)
  await pool.query('delete from panel.accounts')
})

t.test('a create that the worker refuses for its row leaves nothing', async t => {
  const { id } = await add({})
  await pool.query(`update panel.accounts set username = 'www-data'`)
  const operation = await claim()
  // Its worker was killed before it could say so.
  await pool.query('update panel.operations set starts = 2 where id = $1', [operation])
  await api.query(`select panel.begin_operation($1, 'account/create', $2, '{}')`, [operation, id])
  await until(async () => (await rowsOf()).accounts === 0)
  t.strictSame(await rowsOf(), nothing)
})

t.test('an operation that was never begun is undone, at every stage', async t => {
  const files = await tree(panel.root)
  await add({})
  const { id } = await add({ username: 'bob', domain: 'bob.example' })
  const operation = await claim()
  await api.query(`select panel.begin_operation($1, 'account/set-password', $2, $3)`, [
    ...[operation, id, { password_hash: hash }],
  ])
  await until(async () => (await rowsOf()).in_progress === 0)
  t.notSame(await tree(panel.root), files, 'the machine has something of it')
  t.equal((await call('POST', '/api/v1/accounts', { body: alice })).status, 400, 'taken')

  await purge()
  await until(async () => (await rowsOf()).accounts === 0)
  t.strictSame(await rowsOf(), nothing)
  t.strictSame(await tree(panel.root), files)
  t.equal((await call('POST', '/api/v1/accounts', { body: alice })).status, 201)
})

t.test('a name that is reserved for nothing is free again', async t => {
  const operation = await claim()
  await api.query(`select panel.add_site($1, id, 'shop.example') from panel.accounts`, [operation])
  t.match(await rowsOf(), { sites: 2, in_progress: 1 })
  await purge()
  await until(async () => (await rowsOf()).in_progress === 0)
  t.match(await rowsOf(), { accounts: 1, sites: 1, names: 2 })
})

const reserve = `select panel.add_site($1, id, $2) from panel.accounts where state = 'active'`

t.test('a name that an operation has ended without is free again', async t => {
  const before = await rowsOf()
  const [answered, other] = [await claim(), await claim()]
  await api.query(reserve, [answered, 'one.example'])
  await api.query(reserve, [other, 'two.example'])
  t.match(await rowsOf(), { sites: before.sites + 2 })
  await api.query(
    `select panel.answer_operation(
      $1, 'site/add', null, 'alice', 200, '{}', null, false, null, null
    )`,
    [answered],
  )
  await api.query(
    `select panel.begin_operation($1, 'account/set-password', id, $2)
    from panel.accounts where state = 'active'`,
    [other, { password_hash: hash }],
  )
  await until(async () => (await rowsOf()).in_progress === 0)
  await purge()
  await until(async () => (await rowsOf()).sites === before.sites)
  t.strictSame(await rowsOf(), before)
})

t.test(
  'a cancel takes back at once what was claimed, and accounts that were not begun',
  async t => {
    const [files, before] = [await tree(panel.root), await rowsOf()]
    const claimed = await claim()
    await api.query(reserve, [claimed, 'shop.example'])
    await add({ username: 'bob', domain: 'bob.example' })
    t.match(await cancel(pool, claimed), { state: 'cancelled', task: 'request' })
    const kept = await pool.query(`select from panel.site_names where name = 'shop.example'`)
    t.equal(kept.rowCount, 0, 'the name is free')
    await until(async () => (await rowsOf()).accounts === before.accounts)
    t.strictSame(await rowsOf(), before)
    t.strictSame(await tree(panel.root), files)
    await t.rejects(cancel(pool, claimed), /has ended/)
  },
)

t.test('a create that is cancelled behind another operation leaves nothing', async t => {
  await call('DELETE', '/api/v1/accounts/alice')
  const files = await tree(panel.root)
  const { id } = await add({})
  const [first, create] = [await claim(), await claim()]
  gate.close()
  await api.query(`select panel.begin_operation($1, 'account/set-password', $2, $3)`, [
    ...[first, id, { password_hash: hash }],
  ])
  await gate.reached()
  await api.query(`select panel.begin_operation($1, 'account/create', $2, '{}')`, [create, id])
  t.match(await cancel(pool, create), { state: 'cancelled' })
  gate.open()
  await until(async () => (await rowsOf()).in_progress === 0)
  await purge()
  await until(async () => (await rowsOf()).accounts === 1)
  t.strictSame(await tree(panel.root), files)
  t.equal((await call('POST', '/api/v1/accounts', { body: alice })).status, 201)
})

t.test('an account keeps a name that is reserved since', async t => {
  await pool.query(
    `update panel.accounts set username = 'www-data', uid = 29999 where username = 'alice'
       and state = 'active'`,
  )
  t.match(await call('GET', '/api/v1/accounts/www-data'), { body: { state: 'active' } })
  t.match(await call('GET', '/api/v1/accounts?after=www-data'), { body: { accounts: [] } })
  t.match(await call('POST', '/api/v1/accounts/www-data/suspend'), { status: 200 })
  t.match(await call('DELETE', '/api/v1/accounts/www-data'), { status: 200 })
})
