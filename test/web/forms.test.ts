import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { cookieOf, visit } from '../support/web/browser.ts'
import { limitFields } from '../support/web/limit-fields.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool, call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
const admin = await signIn(panel)

const hanna = {
  username: 'hanna',
  password: 'correct horse battery',
  email: 'hanna@example.com',
  package: 'starter',
  domain: '',
}

const accounts = async (): Promise<string[]> =>
  (await pool.query(`select username from panel.accounts order by 1`)).rows.map(row => row.username)

t.test('a form is drawn with a token and a key, new each time', async t => {
  const [one, other] = [await admin.get('/accounts/new'), await admin.get('/accounts/new')]
  const read = (text: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]+)"`).exec(text)
  for (const name of ['token', 'key']) {
    t.match(read(one.text, name)?.[1], /^[\w-]{36,}$/)
    t.not(read(one.text, name)?.[1], read(other.text, name)?.[1], name)
  }
  t.match(one.text, 'The same as an API call')
  t.match(one.text, 'panel account create')
})

t.test('the call next to a form shows the typed values, and no password', async t => {
  const asked = new URLSearchParams({ username: 'hanna', email: "o'hanna@example.com" })
  const live = await admin.get(`/accounts/new?${asked}&password=secret+of+hanna`, {
    'hx-request': 'true',
  })
  t.match(live.text, '&quot;username&quot;:&quot;hanna&quot;')
  t.match(live.text, 'o&#39;\\&#39;&#39;hanna@example.com', 'as a shell takes it')
  t.notMatch(live.text, 'secret of hanna')
  const plain = await admin.get(`/accounts/new?${asked}`)
  t.notMatch(plain.text, 'hanna', 'an address alone fills in nothing')
  const refused = await admin.submit('/accounts/new', { ...hanna, email: 'wrong' })
  t.match(refused.text, '&quot;username&quot;:&quot;hanna&quot;')
})

t.test('where the API has no call its command is shown, to those who may be root', async t => {
  await makeReseller(pool, 'tom')
  const commands = {
    '/resellers/new': 'panel user add shop --role reseller --email shop@example.com',
    '/resellers/tom/plan': 'panel reseller set tom --max-accounts',
    '/resellers/tom/suspend': 'panel reseller suspend tom',
    '/resellers/tom/password': 'panel ctl reset-password tom',
    '/resellers/tom/second-factor': 'panel ctl disable-2fa tom',
    '/server/settings/second-factor': 'panel ctl demand-2fa --off',
    '/server/settings/support-contact': 'panel ctl support-contact --clear',
    '/server/settings/shared-parents': 'panel shared-parent add free.example.net',
    '/server/settings/sign-in-addresses': 'panel ctl allow-ip --clear',
    '/my-account/tokens/new': 'panel token create --owner admin --name Billing --allow 192.0.2.7',
  }
  for (const [path, command] of Object.entries(commands)) {
    t.match((await admin.get(path)).text, command, path)
  }
  const reseller = await signIn(panel, 'tom')
  t.notMatch((await reseller.get('/my-account/tokens/new')).text, 'panel token create')
  t.match((await reseller.get('/packages/new')).text, 'curl -X PUT')
})

t.test('a refusal shows the typed values but no password, next to its field', async t => {
  const refused = await admin.submit('/accounts/new', {
    ...hanna,
    username: 'Hanna!"<b>',
    email: 'nothing',
  })
  t.equal(refused.status, 422)
  t.match(refused.text, 'value="Hanna!&quot;&lt;b&gt;"')
  t.notMatch(refused.text, hanna.password)
  t.notMatch(refused.text, '<b>')
  t.match(
    refused.text,
    /id="field-username"[^>]* aria-describedby="[^"]*" aria-invalid="true" autofocus/,
  )
  t.match(refused.text, /id="field-email-error">E-mail address is not an e-mail address</)
  t.equal(refused.text.match(/ autofocus/g)?.length, 1, 'the first one has the focus')
  t.strictSame(await accounts(), [])
  t.equal(
    (await pool.query('select from panel.operations where session_id is not null')).rowCount,
    0,
  )
})

t.test('a form that is not sent from our own pages is refused, and changes nothing', async t => {
  const foreign: Record<string, string>[] = [
    { origin: 'null' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://panel.test' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of foreign) {
    const refused = await admin.submit('/accounts/new', hanna, { headers })
    t.equal(refused.status, 403, JSON.stringify(headers))
    t.match(refused.headers['content-type'], 'text/html')
  }
  const bare = { cookie: admin.cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const silent = await visit(`${panel.baseUrl}/accounts/new`, { method: 'POST', headers: bare })
  t.equal(silent.status, 403, 'a browser says where it comes from')
  const other = await signIn(panel)
  const token = /name="token" value="([^"]+)"/.exec((await other.get('/overview')).text)?.[1] ?? ''
  for (const wrong of ['', 'x', 'A'.repeat(86), token]) {
    t.equal((await admin.submit('/accounts/new', hanna, { token: wrong })).status, 403, wrong)
  }
  const json = { 'content-type': 'application/json' }
  t.equal((await admin.submit('/accounts/new', hanna, { headers: json })).status, 400)
  t.equal((await admin.submit('/accounts/new', { ...hanna, domain: 'a\0b' })).status, 400)
  const huge = await admin.submit('/accounts/new', { ...hanna, domain: 'x'.repeat(70_000) })
  t.equal(huge.status, 413)
  t.strictSame(await accounts(), [])
})

t.test('a form is done once, however often it is sent', async t => {
  const key = randomUUID()
  const first = await admin.submit('/accounts/new', hanna, { key })
  t.equal(first.status, 303)
  t.equal(first.headers.location, '/accounts/hanna')
  const again = await admin.submit('/accounts/new', hanna, { key })
  t.equal(again.headers.location, '/accounts/hanna', 'a reload leads to the same')
  const output = cookieOf(first)
  t.match(output, '__Host-panel-flash=')
  const shown = await admin.get('/accounts/hanna', { cookie: `${admin.cookie}; ${output}` })
  t.match(shown.text, 'The account was created.')
  t.match(shown.headers['set-cookie']?.[0], /^__Host-panel-flash=; .*Max-Age=0$/, 'once')
  t.strictSame(await accounts(), ['hanna'])
  const changed = await admin.submit('/accounts/new', { ...hanna, username: 'other' }, { key })
  t.equal(changed.status, 422)
  t.match(changed.text, /already sent.*<a href="\/jobs\/[0-9a-f-]{36}">/s)
  t.notMatch(changed.text, key, 'it has another key now')
  const taken = await admin.submit('/accounts/new', hanna)
  t.equal(taken.status, 422)
  t.match(taken.text, /id="field-username-error">Username hanna is taken/)
  t.strictSame(await accounts(), ['hanna'])
  const { rows } = await pool.query(
    `select caller_words, caller_role from panel.operations where key = $1`,
    [key],
  )
  t.match(rows[0], { caller_role: 'administrator', caller_words: /admin/ })
})

t.test('suspend, unsuspend, settings and terminate do what they say', async t => {
  const send = async (path: string, fields = {}) => {
    const { status, headers } = await admin.submit(`/accounts/hanna/${path}`, fields)
    return [status, headers.location]
  }
  const shown = async () => (await call('GET', '/api/v1/accounts/hanna')).body
  t.strictSame(await send('suspend', { reason: 'overdue' }), [303, '/accounts/hanna'])
  t.match(await shown(), { state: 'suspended', suspend_reason: 'overdue' })
  t.match((await admin.get('/accounts/hanna')).text, 'Suspended by an administrator: overdue')
  t.strictSame(await send('unsuspend'), [303, '/accounts/hanna'])
  t.strictSame(await send('email', { email: 'h@example.org' }), [303, '/accounts/hanna'])
  t.match(await shown(), { state: 'active', email: 'h@example.org' })
  await call('PUT', '/api/v1/packages/large', { body: { disk_mb: 5_000 } })
  t.strictSame(await send('package', { package: 'large' }), [303, '/accounts/hanna'])
  t.match(await shown(), { package: 'large' })
  t.strictSame(await send('password', { password: 'another horse battery' }), [
    303,
    '/accounts/hanna',
  ])
  t.equal((await send('package', { package: 'nothing' }))[0], 422)
  t.equal((await send('terminate', { confirm: 'alice' }))[0], 422, 'its name has to be typed')
  t.equal((await send('terminate'))[0], 422)
  t.match(await shown(), { state: 'active' })
  const asked = async () => (await admin.get('/accounts/hanna/terminate')).text
  t.match(await asked(), /The account is deleted\. .*Root can restore its files for 72 hours/s)
  await pool.query(
    `insert into panel.databases (account_id, name, desired)
     select id, 'hanna_' || n, 'present' from panel.accounts, generate_series(1, 7) n
     where username = 'hanna'`,
  )
  const all = 'hanna_1, hanna_2, hanna_3, hanna_4, hanna_5, …'
  t.match(
    await asked(),
    `The account is deleted with 7 databases (${all}). Its name becomes available at once.`,
  )
  await pool.query(`delete from panel.databases where name > 'hanna_1'`)
  t.match(
    await asked(),
    /with 1 database \(hanna_1\)\. .*Root can restore its files and databases/s,
  )
  await pool.query('delete from panel.databases')
  const jobs = (await admin.get('/accounts/hanna/jobs')).text
  for (const what of ['Create account', 'Suspend account', 'Set password', 'admin']) {
    t.match(jobs, what)
  }
  t.strictSame(await send('terminate', { confirm: ' hanna ' }), [303, '/accounts'])
  t.equal((await call('GET', '/api/v1/accounts/hanna')).status, 404)
  t.equal((await admin.get('/accounts/hanna')).status, 404)
})

t.test('packages are created, changed and deleted', async t => {
  const fields = { ...limitFields, disk_mb: '2048', cpu_percent: '150' }
  const created = await admin.submit('/packages/new', { name: 'shop 1', ...fields, sftp: 'on' })
  t.equal(created.headers.location, '/packages')
  const again = await admin.submit('/packages/new', { name: 'shop 1', ...fields })
  t.match(again, { status: 422, text: /A package shop 1 already exists/ })
  t.match((await admin.get('/packages/shop%201')).text, /name="disk_mb"[^>]*value="2048"/)
  const wrong = await admin.submit('/packages/shop%201', { ...fields, disk_mb: '1e9' })
  t.match(wrong, { status: 422, text: /Disk must be a whole number from 1 to 10000000/ })
  t.equal((await admin.submit('/packages/shop%201', fields)).headers.location, '/packages')
  t.match((await call('GET', '/api/v1/packages/shop%201')).body, { sftp: false, cpu_percent: 150 })
  t.equal((await admin.submit('/packages/shop%201/delete')).headers.location, '/packages')
  t.equal((await call('GET', '/api/v1/packages/shop%201')).status, 404)
})

t.test('a reseller sees and changes only what is its own', async t => {
  await makeReseller(pool, 'rita')
  const rita = await signIn(panel, 'rita')
  await admin.submit('/accounts/new', { ...hanna, username: 'housed' })
  for (const path of ['', '/settings', '/jobs', '/suspend', '/terminate', '/package']) {
    t.equal((await rita.get(`/accounts/housed${path}`)).status, 404, path)
  }
  for (const [path, fields] of Object.entries({
    suspend: {},
    terminate: { confirm: 'housed' },
    email: { email: 'rita@example.com' },
    password: { password: 'another horse battery' },
  })) {
    t.equal((await rita.submit(`/accounts/housed/${path}`, fields)).status, 404, path)
  }
  t.equal((await rita.submit('/packages/starter/delete')).status, 404)
  t.notMatch((await rita.get('/accounts')).text, 'housed')
  t.match(await rita.submit('/accounts/new', hanna), { status: 422, text: /no package starter/ })
  t.match((await call('GET', '/api/v1/accounts/housed')).body, { state: 'active' })
  const { rows } = await pool.query(
    `select id from panel.operations where username = 'housed' and status = 201`,
  )
  t.equal((await rita.get(`/jobs/${rows[0].id}`)).status, 404)
  t.equal((await admin.get(`/jobs/${rows[0].id}`)).status, 200)
})

t.test('a visitor who is not signed in goes to sign in, and comes back', async t => {
  const out = await visit(`${panel.baseUrl}/accounts?state=active&page=2`, {})
  t.equal(out.status, 303)
  t.equal(out.headers.location, '/sign-in?to=%2Faccounts%3Fstate%3Dactive%26page%3D2')
  await pool.query('update panel.sessions set expires_at = now()')
  t.equal((await admin.get('/accounts')).status, 303)
  t.equal((await admin.submit('/accounts/new', hanna, { token: 'x' })).status, 303)
  t.equal(
    (await admin.get('/accounts', { 'hx-request': 'true' })).headers['hx-redirect'],
    '/sign-in?to=%2Faccounts',
  )
})

t.test('work that takes its time is followed to its end', async t => {
  const slow = await openPanel(t, { hasWorker: false })
  await slow.call('PUT', '/api/v1/packages/starter', { body: {} })
  const person = await signIn(slow)
  const sent = await person.submit('/accounts/new', hanna)
  t.equal(sent.status, 303)
  t.match(sent.headers.location, /^\/jobs\/[0-9a-f-]{36}\?then=%2Faccounts%2Fhanna$/)
  const follow = sent.headers.location ?? ''
  const open = await person.get(follow)
  t.equal(open.status, 200)
  t.match(open.text, '<noscript><meta http-equiv="refresh" content="2"></noscript>')
  t.match(open.text, 'hx-trigger="every 1s"')
  await slow.startWorker()
  await until(async () => (await person.get(follow)).status === 303)
  t.equal((await person.get(follow)).headers.location, '/accounts/hanna')
  const live = await person.get(follow, { 'hx-request': 'true' })
  t.match(live, { status: 200, headers: { 'hx-redirect': '/accounts/hanna' } })
  for (const then of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'x',
    '/\t/evil',
  ]) {
    const address = `${follow.split('?')[0]}?then=${encodeURIComponent(then)}`
    t.equal((await person.get(address)).status, 200, then)
  }
})
