import { TOTP } from 'otpauth'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { alice } from '../support/panel.ts'
import { openWeb } from '../support/web/browser.ts'
import { form, openBrowser } from '../support/web/person.ts'

const { panel, visit, link } = await openWeb(t)
const { pool } = panel
const password = 'a password of it'
const email = 'boss@example.com'
await addOperator(pool, { name: 'boss', role: 'administrator', email, password })
const { rows } = await pool.query('select count(*)::int as sessions from panel.sessions')
t.equal(rows[0].sessions, 0)

const browser = () => openBrowser(panel.baseUrl)
const enter = (fields: Record<string, string>) => browser().submit('/sign-in', fields)

t.test('the page has the fields that password managers look for', async t => {
  const { status, text } = await visit('/sign-in')
  t.equal(status, 200)
  for (const shown of [
    '<h1>Sign in</h1>',
    /<label for="field-username">Username/,
    /<label for="field-password">Password/,
    /name="username"[^>]* autocomplete="username"/,
    /name="password"[^>]* autocomplete="current-password"/,
    /<button[^>]*>Sign in<\/button>/,
  ]) {
    t.match(text, shown)
  }
})

t.test('an administrator and a customer sign in, and get where they were going', async t => {
  const owner = browser()
  const asked = await owner.get('/accounts?state=active')
  t.equal(asked.status, 303)
  const to = new URL(asked.headers.location!, 'https://x').searchParams.get('to')!
  const page = await owner.get(asked.headers.location!)
  t.match(page.text, `name="to" value="${to}"`)
  const done = await owner.submit('/sign-in', { username: 'boss', password, to })
  t.match(done, { status: 303, headers: { location: '/accounts?state=active' } })
  t.match(
    done.headers['set-cookie']?.[0],
    /^__Host-panel=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  t.equal((await owner.get('/accounts')).status, 200)

  const customer = browser()
  const own = { username: 'alice', password: alice.password }
  const entered = await customer.submit('/sign-in', { ...own, to: '/accounts' })
  t.match(entered, { status: 303, headers: { location: '/account' } }, 'not an owner’s page')
  t.match(entered.headers['set-cookie']?.[0], /^__Host-panel-account=/)
  t.equal((await customer.get('/account')).status, 200)
  t.equal((await customer.get('/accounts')).status, 303)
})

t.test('the address of the panel alone leads to where one begins', async t => {
  const start = async (from: ReturnType<typeof browser>) => (await from.get('/')).headers.location
  const [owner, customer, both] = [browser(), browser(), browser()]
  t.equal(await start(owner), '/sign-in')
  for (const from of [owner, both]) {
    await from.submit('/sign-in', { username: 'boss', password })
    t.equal(await start(from), '/overview')
  }
  for (const from of [customer, both]) {
    await from.submit('/sign-in', { username: 'alice', password: alice.password })
  }
  t.equal(await start(customer), '/account')
  t.equal(await start(both), '/overview')
  await pool.query('update panel.sessions set expires_at = now() where operator_id is not null')
  t.equal(await start(both), '/account')
  const lost = await visit('/nothing', { headers: { accept: 'text/html' } })
  t.match(lost, { status: 404, text: /<a class="button" href="\/">/ })
})

t.test('a sign-in leads to no other site, whatever its address requests', async t => {
  for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', 'x', '/\t/x']) {
    const { headers } = await enter({ username: 'boss', password, to })
    t.equal(headers.location, '/overview', to)
  }
})

t.test('every failure has the same sentence, and no password is shown again', async t => {
  const wrong = await enter({ username: 'boss', password: 'a wrong <one>' })
  const unknown = await enter({ username: '"><script>', password: 'a wrong <one>' })
  for (const page of [wrong, unknown, await enter({})]) {
    t.equal(page.status, 422)
    t.match(page.text, 'The username or password is wrong.')
    t.notMatch(page.text, 'a wrong')
    t.notMatch(page.text, '<script>')
    t.equal(page.headers['set-cookie'], undefined)
  }
  t.match(wrong.text, 'value="boss"')
  await pool.query('delete from panel.sign_in_attempts')
})

t.test('forms of other sites are refused', async t => {
  const body = new URLSearchParams({ username: 'boss', password }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const headers of [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://panel.test:8443', 'sec-fetch-site': 'same-site' },
  ]) {
    for (const path of ['/sign-in', '/sign-in/code']) {
      const page = await visit(path, { method: 'POST', headers: { ...type, ...headers }, body })
      t.equal(page.status, 403)
      t.equal(page.headers['set-cookie'], undefined)
    }
  }
})

t.test(
  'after too many attempts there is a wait, which a browser that knows the name has not',
  async t => {
    const known = browser()
    await known.submit('/sign-in', { username: 'boss', password })
    for (let number = 0; number < 5; number += 1) {
      await enter({ username: 'boss', password: 'wrong password' })
    }
    // However slow this is.
    await pool.query('update panel.sign_in_attempts set failures = 12 where failures >= 5')
    const last = await enter({ username: 'boss', password })
    t.equal(last.status, 429)
    t.match(last.text, /Too many attempts\. Wait \d+ (second|minute)/)
    t.match(last.headers['retry-after'], /^\d+$/)
    t.equal((await known.submit('/sign-in', { username: 'boss', password })).status, 303)
    await pool.query('delete from panel.sign_in_attempts')
  },
)

t.test('a suspended operator gets a page that explains it', async t => {
  await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  const page = await enter({ username: 'alice', password: alice.password })
  t.equal(page.status, 403)
  t.match(page.text, 'This account is suspended')
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
})

t.test('a customer’s link leaves the session of an owner alone', async t => {
  const both = browser()
  await both.submit('/sign-in', { username: 'boss', password })
  await both.get(await link())
  t.equal((await both.get('/overview')).status, 200)
  t.match((await both.get('/account')).status, 200)
  t.match((await both.get('/account')).text, 'alice')
})

t.test('signing out ends the session, and the page before it is closed', async t => {
  const person = browser()
  await person.submit('/sign-in', { username: 'boss', password })
  const kept = person.cookies()
  t.equal((await person.submit('/sign-out', {}, { token: 'x' })).status, 403, 'a foreign token')
  const out = await person.submit('/sign-out', form(await person.get('/overview')))
  t.match(out, { status: 303, headers: { location: '/sign-in' } })
  t.match(out.headers['set-cookie'], [
    '__Host-panel=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
  ])
  const back = await visit('/overview', { headers: { cookie: kept } })
  t.match(back, { status: 303, headers: { location: '/sign-in?to=%2Foverview' } })
})

t.test('a second factor that is demanded is set up on the way in', async t => {
  await pool.query('update panel.server set demands_second_factor = true')
  const person = browser()
  const first = await person.submit('/sign-in', { username: 'boss', password, to: '/packages' })
  t.match(first, { status: 303, headers: { location: '/sign-in/code?to=%2Fpackages' } })
  t.equal((await person.get('/overview')).status, 303, 'not yet')
  const page = await person.get(first.headers.location!)
  t.match(page.text, /<svg class="qr" role="img"/)
  const secret = /data-copy="([A-Z2-7]{32})"/.exec(page.text)![1]!
  const wrong = await person.submit('/sign-in/code', { code: '000000', to: '/packages' })
  t.equal(wrong.status, 422)
  t.match(wrong.text, secret, 'the same secret')
  const code = new TOTP({ secret }).generate()
  const codes = await person.submit('/sign-in/code', { code, to: '/packages' })
  t.equal(codes.status, 200)
  t.equal(codes.text.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g)?.length, 20, 'ten, and to copy')
  t.match(codes.text, 'href="/packages"')
  t.equal((await person.get('/packages')).status, 200)

  const again = browser()
  await again.submit('/sign-in', { username: 'boss', password })
  t.match((await again.get('/sign-in/code')).text, 'recovery codes')
  t.equal((await again.submit('/sign-in/code', { code: '000000' })).status, 422)
  const [recovery] = /[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/.exec(codes.text)!
  t.equal((await again.submit('/sign-in/code', { code: recovery })).status, 303)
  t.equal((await again.get('/overview')).status, 200)
  t.match(await browser().submit('/sign-in/code', { code: recovery }), {
    status: 303,
    headers: { location: '/sign-in' },
  })
  await pool.query('update panel.server set demands_second_factor = false')
  await pool.query('delete from panel.second_factors')
})

t.test('at another address it says which one to use, before a password is typed', async t => {
  // The panel's own is https://panel.test:8443.
  const other = await visit('/sign-in?to=%2Faccounts')
  t.match(other.text, /cannot sign in at this address.*href="https:\/\/panel.test:8443\/sign-in"/s)
  t.match(other.text, /127\.0\.0\.1 panel\.test<.*name="password"/s)
  const right = await visit('/sign-in', { headers: { host: 'panel.test:8443' } })
  t.match(right.text, /name="password"/)
  t.notMatch(right.text, /cannot sign in|<details/)
})
