import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import t from 'tap'
import { askMariadb, hasMariadb } from '../support/sandbox-mariadb.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { cookieOf, visit } from '../support/web/browser.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// A customer's databases by its pages, on the sandbox's own MariaDB.

t.test('databases by pages', { skip: !hasMariadb && 'there is no MariaDB' }, async t => {
  const gate = openGate()
  const panel = await openPanel(t, { observe: gate.observe })
  const { call, pool } = panel
  const socketPath = join(panel.root, 'run/mysqld/mysqld.sock')
  await call('PUT', '/api/v1/packages/starter', { body: { max_databases: 2 } })
  await call('POST', '/api/v1/accounts', { body: alice })
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'bob', domain: 'bob.example' },
  })
  askMariadb(t, panel.root)
  // The same on any machine.
  await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
  const customer = await signInAs(panel, 'alice')
  const base = '/account/databases'

  const passwordIn = (text: string) => /readonly value="([A-Za-z0-9]{24})"/.exec(text)?.[1] ?? ''
  const as = async (user: string, password: string, statement: string) => {
    const connection = await createConnection({
      ...{ socketPath, user, password },
      database: 'alice_shop',
    })
    try {
      return (await connection.query(statement))[0]
    } finally {
      await connection.end()
    }
  }
  let password = ''

  await t.test('a database is made once, with a password that nothing keeps', async t => {
    t.match((await customer.get(base)).text, 'No database yet')
    const form = (await customer.get(`${base}/new`)).text
    t.match(form, 'room for 2 more databases')
    const sent = { key: randomUUID() }
    const twice = await Promise.all([
      customer.submit(`${base}/new`, { suffix: 'shop' }, sent),
      customer.submit(`${base}/new`, { suffix: 'shop' }, sent),
    ])
    t.strictSame(
      twice.map(({ status }) => status),
      [200, 200],
    )
    const [one, other] = twice.map(({ text }) => passwordIn(text))
    t.match(one, /^[A-Za-z0-9]{24}$/)
    t.equal(other, one, 'a double click shows the same one')
    password = one ?? ''
    for (const line of ['DB_PASSWORD', 'new PDO(', 'new mysqli(', 'DB_CONNECTION=mysql']) {
      t.ok(twice[0]!.text.includes(line), line)
    }
    await until(async () => (await customer.get(base)).text.includes('alice_shop'))
    await as('alice_shop', password, 'create table t (a int)')
    await pool.query('update panel.databases set bytes = 5242880, frozen_at = now()')
    await pool.query(
      `insert into panel.disk_usage (account_id, bytes, measured_at, database_bytes)
       select id, 3145728, now(), 5242880 from panel.accounts where username = 'alice'
       on conflict (account_id) do update set bytes = 3145728, database_bytes = 5242880`,
    )
    const isFull =
      /disk is full: 8 MB of .* in use, 3 MB by files and 5 MB by databases\..* to alice_shop/
    for (const path of [base, `${base}/alice_shop`])
      t.match((await customer.get(path)).text, isFull)
    t.match((await customer.get('/account')).text, '3 MB by files and 5 MB by databases')
    t.match((await customer.get('/account/usage')).text, '3 MB by files and 5 MB by databases')
    t.match((await customer.get(`${base}/alice_shop`)).text, `href="${base}/alice_shop/optimize"`)
    const optimized = await customer.submit(`${base}/alice_shop/optimize`)
    t.match(optimized, { status: 303, headers: { location: `${base}/alice_shop` } })
    const listed = (await customer.get(base)).text
    t.match(listed, '5 MB')
    t.match(listed, /<\/svg>full</, 'the full disk is shown')
    await pool.query('update panel.databases set frozen_at = null')
    const { rows } = await pool.query(
      `select query_to_xml('select * from panel.' || tablename, true, true, '')::text as text
       from pg_tables where schemaname = 'panel'`,
    )
    t.notOk(
      rows.some(({ text }) => text.includes(password)),
      'no row has it',
    )
    const page = await customer.get(`${base}/alice_shop`)
    t.equal(page.status, 200)
    t.match(page.text, 'read and write')
    t.notMatch(page.text, password)
    const again = await customer.submit(`${base}/new`, { suffix: 'shop' })
    t.equal(again.status, 422)
    t.match(again.text, 'alice_shop is taken')
  })

  await t.test('an invalid name is refused next to its field, and nothing is made', async t => {
    for (const suffix of ['', 'SHOP', 'a_b', 'x`; DROP DATABASE mysql; --', 'a'.repeat(17)]) {
      const { status, text } = await customer.submit(`${base}/new`, { suffix })
      t.equal(status, 422, suffix)
      t.match(text, /<p class="error" id="field-suffix-error">Name /)
    }
    t.equal((await pool.query('select from panel.databases')).rowCount, 1)
    const taken = await customer.submit(`${base}/new`, { suffix: 'shop' })
    t.match(taken, { status: 422, text: /id="field-suffix-error">alice_shop is taken</ })
  })

  await t.test('a user may read only, then nothing, and is gone', async t => {
    const users = `${base}/alice_shop/users`
    const made = await customer.submit(`${users}/new`, { suffix: 'report', rights: 'read' })
    t.equal(made.status, 200)
    const its = passwordIn(made.text)
    await as('alice_report', its, 'select * from t')
    await t.rejects(as('alice_report', its, 'insert into t values (1)'), /command denied/)
    const twice = await customer.submit(`${users}/new`, { suffix: 'report', rights: 'all' })
    t.match(twice, {
      status: 422,
      text: /suffix-error">A database user alice_report already exists</,
    })
    t.match((await customer.get(base)).text, 'alice_report (read only)')
    const all = await customer.submit(`${users}/alice_report`, { rights: 'all' })
    t.equal(all.headers.location, `${base}/alice_shop`)
    await as('alice_report', its, 'insert into t values (1)')
    await customer.submit(`${users}/alice_report`, { rights: 'none' })
    await t.rejects(as('alice_report', its, 'select 1'), /Access denied/)
    t.equal((await customer.get(`${users}/alice_report`)).status, 404)
  })

  await t.test('a new password takes the place of the old one', async t => {
    const path = `${base}/alice_shop/users/alice_shop/password`
    const made = await customer.submit(path)
    t.equal(made.status, 200)
    const fresh = passwordIn(made.text)
    t.not(fresh, password)
    await t.rejects(as('alice_shop', password, 'select 1'), /Access denied/)
    await as('alice_shop', fresh, 'select 1')
    password = fresh
  })

  await t.test('another account has nothing of it', async t => {
    const bob = await signInAs(panel, 'bob')
    for (const rest of ['', '/remove', '/users/new', '/users/alice_shop/password']) {
      t.equal((await bob.get(`${base}/alice_shop${rest}`)).status, 404, rest)
    }
    const fields = { suffix: 'mine', rights: 'all', confirm: 'alice_shop' }
    for (const rest of [
      '/remove',
      '/users/new',
      '/users/alice_shop',
      '/users/alice_shop/password',
    ]) {
      t.equal((await bob.submit(`${base}/alice_shop${rest}`, fields)).status, 404, rest)
    }
    await as('alice_shop', password, 'select * from t')
  })

  await t.test('its seller sees it, and who has signed in as it makes no password', async t => {
    const admin = await signIn(panel)
    t.match((await admin.get('/accounts/alice')).text, 'alice_shop')
    const opened = await admin.submit('/accounts/alice/sign-in-as')
    const cookie = cookieOf(opened)
    const get = (path: string) => visit(`${panel.baseUrl}${path}`, { headers: { cookie } })
    t.equal((await get(`${base}/alice_shop`)).status, 200)
    for (const path of ['new', 'alice_shop/users/new', 'alice_shop/users/alice_shop/password']) {
      t.equal((await get(`${base}/${path}`)).status, 403, path)
    }
  })

  await t.test('a slow operation shows its password at once, and where to follow it', async t => {
    gate.close()
    const sent = { key: randomUUID() }
    const late = await customer.submit(`${base}/new`, { suffix: 'late' }, sent)
    t.equal(late.status, 200)
    const followed = /href="(\/account\/jobs\/[\w-]{36})"/.exec(late.text)?.[1] ?? ''
    t.equal((await customer.get(followed)).status, 200)
    const again = await customer.submit(`${base}/new`, { suffix: 'late' }, sent)
    t.equal(passwordIn(again.text), passwordIn(late.text))
    gate.open()
    await until(async () => (await customer.get(base)).text.includes('alice_late'))
    t.notMatch((await customer.get(base)).text, 'href="/account/databases/new"')
    const full = await customer.submit(`${base}/new`, { suffix: 'more' })
    t.match(full, { status: 422, text: /allows 2 databases/ })
  })

  await t.test('a database goes when its name was typed', async t => {
    const path = `${base}/alice_late/remove`
    t.match((await customer.get(path)).text, 'are deleted too: alice_late')
    t.equal((await customer.submit(path, { confirm: 'late' })).status, 422)
    const removed = await customer.submit(path, { confirm: 'alice_late' })
    t.equal(removed.headers.location, base)
    t.notMatch((await customer.get(base)).text, 'href="/account/databases/alice_late"')
  })

  await t.test('where there is no Adminer the page says so, and nothing is begun', async t => {
    const shop = `${base}/alice_shop`
    const lack = 'Adminer is not installed on this server.'
    const shown = await customer.get(shop)
    t.match(shown, { status: 200, text: lack })
    t.notMatch(shown.text, `${shop}/adminer`)
    t.match(await customer.submit(`${shop}/adminer`), { status: 503, text: lack })
    for (const path of ['/adminer/session', `/adminer/open/${'a'.repeat(43)}`, '/adminer/over']) {
      const { status, headers } = await visit(`${panel.baseUrl}${path}`, {})
      t.equal(status, path.endsWith('session') ? 401 : 303, path)
      t.notMatch(headers['set-cookie']?.join(), /panel-adminer=[^;]/)
    }
    t.equal((await pool.query('select from panel.adminer_sessions')).rowCount, 0)
  })

  await t.test('where MariaDB is down pages say so, and nothing is begun', async t => {
    const sentence = 'MariaDB does not answer: databases cannot be changed now'
    await pool.query(
      "update panel.server set service_warnings = jsonb_build_object('databases', $1::text)",
      [sentence],
    )
    // The worker's own look, every ten seconds, would take it back.
    const watch = await pool.connect()
    await watch.query('begin; select from panel.server for no key update')
    const list = await customer.get(base)
    t.match(list, { status: 200, text: `${sentence}.` })
    t.notMatch(list.text, 'href="/account/databases/new"')
    const shop = `${base}/alice_shop`
    t.match(await customer.get(shop), { status: 200, text: `${sentence}.` })
    const confirm = 'alice_shop'
    for (const [path, fields] of [
      [`${base}/new`, { suffix: 'more' }],
      [`${shop}/remove`, { confirm }],
      [`${shop}/users/new`, { suffix: 'more', rights: 'all' }],
      [`${shop}/users/alice_shop/password`, {}],
    ] as const) {
      const refused = await customer.submit(path, fields)
      t.match(refused, { status: 503, text: `${sentence}.` }, path)
    }
    await watch.query('rollback')
    watch.release()
    await pool.query("update panel.server set service_warnings = service_warnings - 'databases'")
    await as('alice_shop', password, 'select * from t')
  })
})
