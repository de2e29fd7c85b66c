import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openPool } from '../../src/db.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { readAddresses, readSnapshot } from '../../src/model/server/server-snapshot.ts'
import { listSharedParents } from '../../src/model/sites/shared-parents.ts'
import { listRanges } from '../../src/model/signing-in/sign-in-ranges.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { openBrowser } from '../support/web/person.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool, call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
await makeReseller(pool, 'rita')
const admin = await signIn(panel)

const actions = async (): Promise<string[]> =>
  (await pool.query(`select action from panel.history where action like 'settings/%'`)).rows.map(
    ({ action }) => action,
  )

t.test('the server is checked on request, once for many requests', async t => {
  t.match((await admin.get('/server')).text, 'The first check runs within a minute')
  const hooks = join(panel.root, 'etc/panel/hooks/account.created.d')
  await mkdir(hooks, { recursive: true })
  await writeFile(join(hooks, '10-<b>report'), '#!/bin/sh\n', { mode: 0o755 })
  await writeFile(join(hooks, '20-open'), '#!/bin/sh\n', { mode: 0o644 })
  for (const { status } of await Promise.all(
    [1, 2, 3, 4].map(() => admin.submit('/server/recheck')),
  ))
    t.equal(status, 303)
  await until(async () => {
    const { taken_at, is_awaited } = await readSnapshot(pool)
    return taken_at !== null && !is_awaited
  }, 90_000)
  const { rows } = await pool.query(
    `select count(*)::int as runs from panel.maintenance_runs where task = 'maintenance/snapshot'`,
  )
  t.ok(rows[0].runs <= 3, `${rows[0].runs} checks`)
  const { content } = await readSnapshot(pool)
  t.ok(content!.memory.totalMb > content!.memory.availableMb)
  t.ok(content!.disks[0]!.totalMb > 0)
  t.strictSame(await readAddresses(pool), ['203.0.113.4', '2001:db8::4'])
  t.ok(content!.checks.length >= 25, 'those of panel ctl doctor')
  t.match(
    content!.checks.find(({ name }) => name === 'settings/readable'),
    { state: 'ok', sentence: new RegExp(join(panel.root, '..')) },
    'of this panel',
  )
  const { text } = await admin.get('/server')
  t.match(text, 'All checks')
  t.match(text, '10-&lt;b&gt;report')
  t.notMatch(text, '<b>')
  t.match(text, 'not executable: ignored')
  t.notMatch(text, 'will not run')
  t.match(text, /0644/)
  t.notMatch(text, 'This is out of date')
})

t.test('checks that are old say so', async t => {
  await pool.query(`update panel.server_snapshot set taken_at = now() - interval '1 hour',
    took_ms = 100, asked_at = null`)
  const { text } = await admin.get('/server')
  t.match(text, 'This is out of date: the last check was')
  await pool.query('update panel.server_snapshot set took_ms = 600000')
  t.notMatch((await admin.get('/server')).text, 'This is out of date', 'the next one comes later')
})

t.test('the process of the pages may ask for checks, and write none', async t => {
  const api = openPool(panel.databaseUrl, 'panel_api', 1)
  t.teardown(() => api.end())
  await t.rejects(api.query(`update panel.server_snapshot set content = '{}'`), /denied/)
  await t.rejects(api.query(`insert into panel.sign_in_ranges values ('::/0')`), /denied/)
  await t.rejects(api.query(`insert into panel.shared_parents values ('a.b')`), /denied/)
  await t.rejects(api.query('update panel.sellers set suspended_at = null'), /denied/)
})

t.test('the list of sign-in addresses is changed, and never locks its author out', async t => {
  const path = '/server/settings/sign-in-addresses'
  const refused: [string, RegExp][] = [
    ['192.0.2.0/24', /The list would lock you out: add 127\.0\.0\.1/],
    ['nowhere', /id="field-ranges-error"/],
    ['127.0.0.1/8', /id="field-ranges-error"/],
    [`<script>alert(1)</script>`, /id="field-ranges-error"/],
    [
      Array.from({ length: 101 }, (_, number) => `10.0.${number}.0/24`).join('\n'),
      /must be at most 100 ranges/,
    ],
  ]
  for (const [ranges, sentence] of refused) {
    const page = await admin.submit(path, { ranges })
    t.match(page, { status: 422, text: sentence })
    t.notMatch(page.text, '<script>alert')
  }
  t.strictSame(await listRanges(pool), [])
  t.strictSame(await actions(), [])

  for (let turn = 0; turn < 2; turn++) {
    const sent = await admin.submit(path, { ranges: '127.0.0.0/8\r\n 192.0.2.0/24,192.0.2.0/24' })
    t.match(sent, { status: 303, headers: { location: '/server/settings' } })
    t.strictSame(await listRanges(pool), ['127.0.0.0/8', '192.0.2.0/24'])
  }
  const shown = (await admin.get('/server/settings')).text
  t.match(shown, /127\.0\.0\.0\/8\n192\.0\.2\.0\/24<\/textarea>/)
  t.equal((await admin.submit(path, { ranges: '' })).status, 303)
  t.strictSame(await listRanges(pool), [])
  t.strictSame(await actions(), Array(3).fill('settings/allow-addresses'))
})

t.test('the list of shared parents is changed, and what is no domain stays out of it', async t => {
  const path = '/server/settings/shared-parents'
  const listed = async () => (await listSharedParents(pool)).map(({ domain }) => domain)
  const many = Array.from({ length: 101 }, (_, number) => `n${number}.example`).join('\n')
  const refused = ['com', 'a.localhost', 'a..example', 'a.example; x', '<script>alert(1)</script>']
  for (const domains of [...refused, many]) {
    const sent = await admin.submit(path, { domains })
    t.match(sent, { status: 422, text: /id="field-domains-error"/ }, domains)
    t.notMatch(sent.text, '<script>alert')
  }
  t.strictSame(await listed(), [])
  for (let turn = 0; turn < 2; turn++) {
    const sent = await admin.submit(path, { domains: 'Free.Bücher.example\r\nwww.b.example' })
    t.match(sent, { status: 303, headers: { location: '/server/settings' } })
    t.strictSame(await listed(), ['b.example', 'free.xn--bcher-kva.example'])
  }
  t.match((await admin.get('/server/settings')).text, /b\.example\nfree\.[^<]*<\/textarea>/)
  const rita = await signIn(panel, 'rita')
  t.equal((await rita.submit(path, { domains: '' })).status, 403)
  t.equal((await listed()).length, 2)
  t.equal((await admin.submit(path, { domains: '' })).status, 303)
  t.strictSame(await listed(), [])
  t.match((await admin.get('/history')).text, 'Change the shared parents')
})

t.test('a second factor is demanded by who has one, and ends sessions without', async t => {
  const path = '/server/settings/second-factor'
  const early = await admin.submit(path, { demanded: 'on' })
  t.match(early, { status: 422, text: /Set up your own two-factor authentication first/ })
  await pool.query(`
    insert into panel.second_factors (operator_id, secret, confirmed_at, last_step)
    select id, sha512('x'), now(), 1 from panel.operators where name = 'admin'`)
  const rita = await signIn(panel, 'rita')
  const isDemanded = async () =>
    (await pool.query('select demands_second_factor as is from panel.server')).rows[0].is
  for (let turn = 0; turn < 2; turn++) {
    t.equal((await admin.submit(path, { demanded: 'on' })).status, 303)
    t.equal(await isDemanded(), true)
  }
  t.equal((await rita.get('/overview')).status, 303, 'signed out')
  t.match((await admin.get('/server/settings')).text, /name="demanded"[^>]* checked/)
  t.equal((await admin.submit(path)).status, 303)
  t.equal(await isDemanded(), false)
})

t.test('signed-in sessions are listed, and one of them ended', async t => {
  await addOperator(pool, {
    ...{ name: 'boss', role: 'administrator', email: 'boss@example.com' },
    password: 'a password of boss',
  })
  const [boss, rita] = [await signIn(panel, 'boss'), await signIn(panel, 'rita')]
  const customer = openBrowser(panel.baseUrl)
  await customer.submit('/sign-in', { username: 'alice', password: alice.password })
  const { text } = await admin.get('/server/sessions')
  for (const one of ['/administrators/boss', '/resellers/rita', '/accounts/alice', 'you, here']) {
    t.match(text, one)
  }
  const idOf = async (name: string) => {
    const { rows } = await pool.query(
      `select s.id from panel.sessions s join panel.operators o on o.id = s.operator_id
       where o.name = $1 and s.expires_at > now() order by s.id desc limit 1`,
      [name],
    )
    return String(rows[0].id)
  }
  const path = `/server/sessions/${await idOf('rita')}/end`
  t.equal((await rita.submit(path)).status, 403)
  t.equal((await rita.get('/overview')).status, 200)
  t.match((await admin.get(path)).text, 'rita is signed out there')
  t.equal((await admin.submit(path)).headers.location, '/server/sessions')
  t.equal((await rita.get('/overview')).status, 303)
  t.equal((await admin.submit(path)).status, 404, 'it is over')
  t.equal((await boss.get('/overview')).status, 200, 'the others go on')
  const { rows } = await pool.query(
    `select who, about from panel.history where action = 'session/revoke'`,
  )
  t.strictSame(rows, [{ who: 'admin', about: 'rita' }])
  for (const id of ['0', 'x', '1%27', '9'.repeat(40)]) {
    t.equal((await admin.submit(`/server/sessions/${id}/end`)).status, 404, id)
  }
})

t.test('only administrators see the server', async t => {
  const rita = await signIn(panel, 'rita')
  const paths = [
    ...['/server', '/server/recheck', '/server/settings', '/server/settings/sign-in-addresses'],
    ...['/server/settings/second-factor', '/server/sessions', '/server/sessions/1/end'],
  ]
  for (const path of paths) t.equal((await rita.get(path)).status, 403, path)
  for (const path of paths.filter(path => /recheck|addresses|factor|end$/.test(path))) {
    t.equal((await rita.submit(path, { ranges: '', demanded: 'on' })).status, 403, path)
  }
  t.notMatch((await rita.get('/overview')).text, 'href="/server"')
})
