import { randomUUID } from 'node:crypto'
import { TOTP } from 'otpauth'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { alice, call } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { openWeb } from '../support/web/browser.ts'
import { form, openBrowser, type Browser } from '../support/web/person.ts'

const { panel } = await openWeb(t)
const { pool } = panel
const password = 'a password of it'
for (const [name, role] of [
  ['boss', 'administrator'],
  ['tina', 'reseller'],
] as const) {
  await addOperator(pool, { name, role, email: `${name}@example.com`, password })
}

async function signedIn(username: string, entered = password): Promise<Browser> {
  const person = openBrowser(panel.baseUrl)
  const page = await person.submit('/sign-in', { username, password: entered })
  t.equal(page.status, 303, `${username} signs in`)
  return person
}

/** Sends a form of a page that is drawn first. */
async function send(person: Browser, path: string, fields: Record<string, string> = {}) {
  const page = await person.get(path)
  return person.submit(path, { ...form(page), ...fields })
}

const tokenIn = (text: string) => /pnl_[\w-]{43}/.exec(text)?.[0]
const usable = async (token: string) =>
  (await call(`${panel.baseUrl}/api/v1/accounts`, 'GET', { token })).status

t.test('an API token takes the password, is shown once, and keeps to its limits', async t => {
  const tina = await signedIn('tina')
  const path = '/my-account/tokens/new'
  const desired = { name: 'Billing', permission: 'Provisioning only', current: password }
  const refused: [Record<string, string>, RegExp][] = [
    [{ ...desired, current: 'wrong password' }, /This is not your password/],
    [{ ...desired, current: '' }, /id="field-current-error"/],
    [{ ...desired, name: '' }, /id="field-name-error"/],
    [{ ...desired, permission: 'Everything' }, /Permission can only be/],
    [{ ...desired, allowed: '192.0.2.0/99' }, /id="field-allowed-error"/],
    [{ ...desired, expires: '2001-01-01' }, /Day of expiry must be in the future/],
  ]
  for (const [fields, sentence] of refused) {
    const page = await send(tina, path, fields)
    t.equal(page.status, 422)
    t.match(page.text, sentence)
    t.notMatch(page.text, password)
  }
  t.equal((await pool.query(`select from panel.tokens where name = 'Billing'`)).rowCount, 0)

  const made = await send(tina, path, { ...desired, allowed: '127.0.0.0/8\r\n::1', expires: '' })
  t.equal(made.status, 200)
  const token = tokenIn(made.text)!
  t.equal(await usable(token), 200)
  const list = await tina.get('/my-account/tokens')
  t.match(list.text, 'Billing')
  t.match(list.text, '127.0.0.0/8, ::1/128')
  t.equal(tokenIn(list.text), undefined)
  const elsewhere = await send(tina, path, { ...desired, name: 'Far', allowed: '192.0.2.7' })
  t.equal(await usable(tokenIn(elsewhere.text)!), 403)
  const reading = await send(tina, path, { ...desired, name: 'Log', permission: 'Read events' })
  t.equal(await usable(tokenIn(reading.text)!), 403)
  t.match((await tina.get('/my-account/tokens')).text, /Read events/)

  const [, id] = /tokens\/(\d+)\/revoke/.exec(list.text)!
  const boss = await signedIn('boss')
  const theirs = await boss.submit(`/my-account/tokens/${id}/revoke`, {
    ...form(await boss.get('/overview')),
  })
  t.equal(theirs.status, 404, 'another operator cannot revoke it')
  t.equal(await usable(token), 200)
  t.equal((await send(tina, `/my-account/tokens/${id}/revoke`)).status, 303)
  t.equal(await usable(token), 401)
})

t.test('a new password ends other sessions, and shows tokens as void', async t => {
  const [one, other] = [await signedIn('tina'), await signedIn('tina')]
  const wrong = { current: 'wrong password', password: 'a later password' }
  t.equal((await send(one, '/my-account/password', wrong)).status, 422)
  const short = await send(one, '/my-account/password', { current: password, password: 'short' })
  t.match(short, { status: 422, text: /at least 8 characters/ })
  const change = { current: password, password: 'a later password' }
  const done = await send(one, '/my-account/password', change)
  t.match(done, { status: 303, headers: { location: '/my-account' } })
  t.match((await one.get('/my-account')).text, 'Your password was changed.')
  t.equal((await other.get('/my-account')).status, 303, 'signed out')
  const { text } = await one.get('/my-account/tokens')
  t.match(text, 'since a change of password or two-factor authentication')
  await signedIn('tina', 'a later password')
})

t.test('a second factor is set up, used, renewed and switched off', async t => {
  const boss = await signedIn('boss')
  const other = await signedIn('boss')
  t.equal((await boss.get('/my-account/second-factor/set-up')).status, 404)
  const begun = await send(boss, '/my-account/second-factor', { current: password })
  t.equal(begun.headers.location, '/my-account/second-factor/set-up')
  const page = await boss.get('/my-account/second-factor/set-up')
  t.match(page.text, '<svg class="qr"')
  const secret = /data-copy="([A-Z2-7]{32})"/.exec(page.text)![1]!
  const wrong = await send(boss, '/my-account/second-factor/set-up', { code: '123' })
  t.match(wrong, { status: 422, text: /This code is not valid right now/ })
  const code = new TOTP({ secret }).generate()
  const done = await send(boss, '/my-account/second-factor/set-up', { code })
  t.equal(done.status, 200)
  const codes = [...new Set(done.text.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g))]
  t.equal(codes.length, 10)
  t.equal((await other.get('/my-account')).status, 303)
  t.match((await boss.get('/my-account')).text, '10 remaining recovery codes')

  const again = openBrowser(panel.baseUrl)
  const first = await again.submit('/sign-in', { username: 'boss', password })
  t.equal(first.headers.location, '/sign-in/code')
  t.equal((await again.submit('/sign-in/code', { code: codes[0]! })).status, 303)
  const renewed = await send(again, '/my-account/second-factor/recovery-codes', {
    current: password,
  })
  t.notOk(
    [...renewed.text.matchAll(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g)].some(([one]) =>
      codes.includes(one),
    ),
  )
  await pool.query('update panel.server set demands_second_factor = true')
  const demanded = await send(again, '/my-account/second-factor/off', { current: password })
  t.match(demanded, { status: 422, text: /requires two-factor authentication/ })
  await pool.query('update panel.server set demands_second_factor = false')
  const off = await send(again, '/my-account/second-factor/off', { current: password })
  t.equal(off.status, 303)
  await signedIn('boss')
})

t.test('sessions are listed and ended, one or all others', async t => {
  const [one, two, three] = [
    await signedIn('tina', 'a later password'),
    await signedIn('tina', 'a later password'),
    await signedIn('tina', 'a later password'),
  ]
  const boss = await signedIn('boss')
  const { text } = await one.get('/my-account')
  t.match(text, 'this session')
  t.match(text, '127.0.0.1')
  const [, id] = /sessions\/(\d+)\/end/.exec(text)!
  await send(boss, `/my-account/sessions/${id}/end`)
  const left = async () =>
    Promise.all([one, two, three].map(async each => (await each.get('/my-account')).status))
  t.strictSame(await left(), [200, 200, 200], 'not by others')
  await send(one, `/my-account/sessions/${id}/end`)
  t.strictSame((await left()).sort(), [200, 200, 303])
  t.equal((await send(one, '/my-account/sessions/end')).status, 303)
  t.strictSame(await left(), [200, 303, 303])
})

t.test('a customer changes its own below its own pages', async t => {
  const customer = await signedIn('alice', alice.password)
  const other = await signedIn('alice', alice.password)
  t.equal((await customer.get('/my-account')).status, 303)
  t.match((await customer.get('/account/security')).text, '<h1><span>Sign-in and security')
  const path = '/account/security/password'
  const wrong = { current: 'wrong password', password: 'a later password' }
  t.match(await send(customer, path, wrong), { status: 422, text: /This is not your password/ })
  const drawn = { ...form(await customer.get(path)), key: randomUUID() }
  const right = { ...drawn, current: alice.password, password: 'a later password' }
  const twice = await Promise.all([1, 2].map(() => customer.submit(path, right)))
  for (const { status } of twice) t.equal(status, 303, 'the second waits for the first')
  const late = await customer.submit(path, right)
  t.match(late, { status: 303, headers: { location: '/account/security' } }, 'a reload')
  t.equal((await customer.get('/account/security')).status, 200, 'stays signed in')
  t.equal((await other.get('/account/security')).status, 303)
  await signedIn('alice', 'a later password')
  const { text } = await customer.get('/account/history')
  t.match(text, 'Set password')
  t.notMatch(text, 'boss')
})

t.test('an impersonating operator sees that, and changes nothing personal', async t => {
  const boss = await signedIn('boss')
  const done = await send(boss, '/accounts/alice/sign-in-as')
  t.match(done, { status: 303, headers: { location: '/account' } })
  const page = await boss.get('/account/history')
  t.match(page.text, /You, <strong>boss<\/strong>, are signed in as <strong>alice<\/strong>/)
  t.match(page.text, 'Sign out as alice')
  t.match(page.text, 'data-user="alice by boss"', 'drafts are of the operator')
  t.match(page.text, 'boss')
  for (const path of ['/account/security', '/account/security/sessions/end']) {
    t.equal((await boss.submit(path, form(page))).status >= 400, true, path)
  }
  t.equal((await boss.get('/account/security')).status, 403)
  const fields = { ...form(page), current: 'a later password', password: 'theirs by now' }
  const taken = await boss.submit('/account/security/password', fields)
  t.match(taken, { status: 403, text: /Only alice can do this/ })
  const factor = await boss.submit('/account/security/second-factor', fields)
  t.match(factor, { status: 403, text: /Only alice can do this/ })
  t.notMatch(page.text, 'href="/account/security"', 'the navigation leads to no refusal')
  for (const path of ['security/password', 'sftp/keys/new', 'databases/new']) {
    const shown = await boss.get(`/account/${path}`)
    t.match(shown, {
      status: 403,
      text: /Only alice can do this; you are signed in on their behalf/,
    })
    t.notMatch(shown.text, '/account/security')
  }
  for (const path of ['', '/sftp', '/databases']) {
    const { text } = await boss.get(`/account${path}`)
    t.notMatch(text, /href="\/account\/(security|sftp\/keys\/new|databases\/new)/, path)
  }
  await signedIn('alice', 'a later password')

  const out = await boss.submit('/account/sign-out', form(page))
  t.equal(out.headers.location, '/accounts/alice')
  t.equal((await boss.get('/accounts/alice')).status, 200, 'the own session stays')
  t.equal((await boss.get('/account/history')).status, 303)

  await makeReseller(pool, 'rita')
  const rita = await signedIn('rita')
  const { token } = form(await rita.get('/overview'))
  const theirs = await rita.submit('/accounts/alice/sign-in-as', { token: token! })
  t.equal(theirs.status, 404)
  t.equal(theirs.headers['set-cookie'], undefined)

  await send(boss, '/accounts/alice/sign-in-as')
  await send(boss, '/sign-out', form(await boss.get('/overview')))
  t.equal((await boss.get('/account/history')).status, 303, 'it ends with the own session')
})

t.test('the history is read, filtered and exported', async t => {
  const boss = await signedIn('boss')
  const { text } = await boss.get('/history?action=session&who=boss')
  t.match(text, 'Sign in as the customer')
  t.notMatch(text, 'tina')
  const [, filters = ''] = /<form class="filters"(.*?)<\/form>/s.exec(text) ?? []
  t.match(filters, /type="date" [^>]*name="since"[^]*type="date" [^>]*name="until"/)
  t.notMatch(filters, 'required', 'each may be left empty')
  t.match(filters, '<option value="session" selected>Sign-ins</option>')
  t.match(filters, '<option value="sftp">SFTP keys</option>')
  const raw = [...filters.matchAll(/<option value="([a-z-]+)"[^>]*>([^<]*)/g)].filter(
    ([, value, label]) => value === label,
  )
  t.strictSame(raw, [], 'no names of operations')
  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  t.match((await boss.get(`/history?since=${day(-1)}&until=${day(1)}`)).text, 'Sign in')
  t.match((await boss.get(`/history?until=${day(-2)}`)).text, 'No results')
  for (const subject of ['database', 'sftp', 'delivery', 'job', 'settings']) {
    t.match(text, `<option value="${subject}">`, 'all that people do can be asked for')
  }
  const csv = await boss.get('/history.csv?action=token')
  t.match(csv.headers, { 'content-type': 'text/csv; charset=utf-8' })
  t.match(csv.text, /^at,who,role,channel,address,action,about,subject,outcome,reason\r\n/)
  t.match(csv.text, 'tina,reseller,page,127.0.0.1,token/create,"tina, token Billing",,done')
  t.match(csv.headers['content-disposition'], 'filename="history.csv"')
  await pool.query(`
    insert into panel.history (channel, who, action)
    select 'panel', 'panel', 'token/fill' from generate_series(1, 10001)`)
  const part = await boss.get('/history.csv?action=token/fill')
  t.equal(part.text.split('\r\n').length, 10_002, 'titles, lines, and nothing after the last')
  t.match(part.headers['content-disposition'], 'filename="history-latest-10000.csv"')
  t.match((await boss.get('/history')).text, 'has the latest 10,000 lines')
  await pool.query(`delete from panel.history where action = 'token/fill'`)
  const rita = await signedIn('rita')
  t.notMatch((await rita.get('/history')).text, 'alice')
  t.match(await boss.get('/history?before=x'), {
    status: 400,
    text: 'is not a position in the history',
  })
  t.match(await boss.get('/history.csv?channel=window'), {
    status: 400,
    text: 'channel must be one of',
  })
})

t.test('a second factor is demanded at one place, the settings of the server', async t => {
  const boss = await signedIn('boss')
  t.notMatch((await boss.get('/my-account')).text, 'demand')
  t.equal((await boss.get('/my-account/demand')).status, 404)
})

t.test('a session with too many changes has to wait', async t => {
  const boss = await signedIn('boss')
  const own = form(await boss.get('/overview'))
  const statuses: number[] = []
  // One more is free each second, however long these take.
  while (statuses.at(-1) !== 429 && statuses.length < 300) {
    statuses.push((await boss.submit('/packages/new', own)).status)
  }
  t.ok(statuses.slice(0, 60).every(status => status === 422))
  t.equal(statuses.at(-1), 429)
})
