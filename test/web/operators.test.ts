import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { call, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { form, openBrowser } from '../support/web/person.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool } = panel
const own = 'a password of boss'
const boss = { name: 'boss', role: 'administrator', email: 'boss@example.com' } as const
await addOperator(pool, { ...boss, password: own })
const admin = await signIn(panel, 'boss')

const rows = async (sql: string) => (await pool.query(sql)).rows
const operators = async () =>
  (await rows('select name from panel.operators order by name')).map(({ name }) => name)
const usable = async (token: string) =>
  (await call(`${panel.baseUrl}/api/v1/accounts`, 'GET', { token })).status

async function signsIn(username: string, password: string): Promise<boolean> {
  const page = await openBrowser(panel.baseUrl).submit('/sign-in', { username, password })
  return page.headers.location === '/overview'
}

const rosa = { name: 'rosa', email: 'rosa@example.com', password: 'a password of rosa' }
const limits = {
  ...{ max_accounts: '2', disk_mb: '5000', max_sites: '4' },
  ...{ memory_mb: '512', cpu_percent: '150' },
}

t.test('a reseller is created, given a plan, suspended and let in again', async t => {
  const none = await admin.get('/resellers')
  t.match(none.text, 'No resellers yet')
  const made = await admin.submit('/resellers/new', { ...rosa, current: own })
  t.match(made, { status: 303, headers: { location: '/resellers/rosa/plan' } })
  t.match((await admin.get('/resellers/rosa')).text, 'This reseller has no plan yet')
  const again = await admin.submit('/resellers/new', { ...rosa, current: own })
  t.match(again, { status: 422, text: /An operator rosa already exists/ })
  t.notMatch(again.text, rosa.password)

  for (const plan of [limits, limits, { ...limits, max_accounts: '0' }]) {
    const saved = await admin.submit('/resellers/rosa/plan', plan)
    t.match(saved, { status: 303, headers: { location: '/resellers/rosa' } })
  }
  t.match((await admin.get('/resellers/rosa/plan')).text, /name="disk_mb"[^>]*value="5000"/)
  t.match((await admin.get('/resellers')).text, '0 of 4')
  const wrong = await admin.submit('/resellers/rosa/plan', { ...limits, memory_mb: '0' })
  t.match(wrong, { status: 422, text: /Memory must be from 1 to 1048576/ })
  const large = { ...limits, disk_mb: '9'.repeat(400) }
  t.equal((await admin.submit('/resellers/rosa/plan', large)).status, 422)

  t.ok(await signsIn('rosa', rosa.password))
  const person = await signIn(panel, 'rosa')
  for (let turn = 0; turn < 2; turn++) {
    t.equal((await admin.submit('/resellers/rosa/suspend')).headers.location, '/resellers/rosa')
  }
  t.match(
    (await admin.get('/resellers/rosa')).text,
    /Suspended (now|\d+ s ago): the reseller can’t sign in/,
  )
  t.match(await person.get('/accounts'), { status: 403, text: /This account is suspended/ })
  t.notOk(await signsIn('rosa', rosa.password))
  t.equal((await admin.submit('/resellers/rosa/unsuspend')).status, 303)
  t.ok(await signsIn('rosa', rosa.password))
  t.equal((await person.get('/accounts')).status, 200, 'its session goes on')

  const history = await rows(`
    select action, about, who, channel from panel.history where action !~ '^session/' order by id`)
  t.strictSame(
    history.map(({ action }) => action),
    [
      'operator/add',
      ...Array(3).fill('reseller/set-plan'),
      ...Array(2).fill('reseller/suspend'),
      'reseller/unsuspend',
    ],
  )
  t.strictSame(history[0], {
    ...{ action: 'operator/add', about: 'rosa, reseller' },
    ...{ who: 'boss', channel: 'page' },
  })
})

t.test('a new password voids the tokens and ends the sessions, and says so', async t => {
  const { token } = await createToken(pool, { owner: 'rosa', name: 'billing' })
  const person = await signIn(panel, 'rosa')
  t.match((await admin.get('/resellers/rosa/password')).text, '1 API token will be revoked')
  const wrong = await admin.submit('/resellers/rosa/password', {
    ...{ password: 'the next password', current: 'not it at all' },
  })
  t.match(wrong, { status: 422, text: /This is not your password/ })
  t.equal(await usable(token), 200)
  const browser = openBrowser(panel.baseUrl)
  await browser.submit('/sign-in', { username: 'boss', password: own })
  const sent = await browser.submit('/resellers/rosa/password', {
    ...form(await browser.get('/resellers/rosa/password')),
    ...{ password: 'the next password', current: own },
  })
  t.equal(sent.headers.location, '/resellers/rosa')
  t.match(
    (await browser.get('/resellers/rosa')).text,
    'The password was set; 1 API token and all sessions were ended.',
  )
  t.equal(await usable(token), 401)
  t.equal((await person.get('/accounts')).status, 303)
  t.notOk(await signsIn('rosa', rosa.password))
  t.ok(await signsIn('rosa', 'the next password'))
})

t.test('a second factor is switched off for who has lost it', async t => {
  await pool.query(`
    insert into panel.second_factors (operator_id, secret, confirmed_at, last_step)
    select id, sha512('x'), now(), 1 from panel.operators where name = 'rosa'`)
  t.match((await admin.get('/resellers/rosa')).text, '/resellers/rosa/second-factor')
  const path = '/resellers/rosa/second-factor'
  t.equal((await admin.submit(path, { current: 'not it at all' })).status, 422)
  t.equal((await rows('select from panel.second_factors')).length, 1)
  for (let turn = 0; turn < 2; turn++) {
    t.equal((await admin.submit(path, { current: own })).status, 303)
  }
  t.equal((await rows('select from panel.second_factors')).length, 0)
  t.equal(
    (await rows(`select from panel.history where action = 'second-factor/disable'`)).length,
    1,
    'what changed nothing is not written down',
  )
})

t.test('administrators are listed, made, and change their own at My account', async t => {
  const made = await admin.submit('/administrators/new', {
    ...{ name: 'carla', email: 'carla@example.com', password: 'a password of carla', current: own },
  })
  t.equal(made.headers.location, '/administrators/carla')
  const list = (await admin.get('/administrators')).text
  t.match(list, 'carla@example.com')
  t.match(list, /href="\/resellers" aria-current="page"/)
  t.notMatch(list, 'rosa')
  t.equal((await admin.get('/administrators/rosa')).status, 404)
  t.equal((await admin.get('/resellers/carla')).status, 404)
  const change = { password: 'the next password', current: own }
  t.equal((await admin.submit('/resellers/carla/password', change)).status, 404)
  t.equal((await admin.submit('/administrators/boss/password', change)).status, 403)
  t.equal((await admin.get('/administrators/boss/password')).status, 403)
  t.equal((await admin.submit('/resellers/carla/suspend')).status, 404)
  t.equal((await admin.submit('/resellers/carla/plan', limits)).status, 404)
  t.ok(await signsIn('boss', own))
  t.ok(await signsIn('carla', 'a password of carla'))
})

t.test('wrong, missing and hostile values change nothing', async t => {
  const before = await operators()
  const good = { name: 'dora', email: 'dora@example.com', password: 'a password of it' }
  const refused: Record<string, string>[] = [
    { ...good, current: '' },
    { ...good, current: 'wrong' },
    { ...good, name: 'root' },
    { ...good, name: '<script>alert(1)</script>' },
    { ...good, name: '' },
    { ...good, name: 'd'.repeat(500) },
    { ...good, email: 'nothing' },
    { ...good, email: `"><b>@example.com` },
    { ...good, password: 'short' },
    { ...good, password: 'p'.repeat(5_000) },
  ]
  for (const fields of refused) {
    const page = await admin.submit('/resellers/new', { current: own, ...fields })
    t.equal(page.status, 422, JSON.stringify(fields).slice(0, 80))
    t.notMatch(page.text, /<script>alert|"><b>/)
    t.notMatch(page.text, own)
  }
  t.equal((await admin.submit('/resellers/missing/plan', limits)).status, 404)
  t.equal((await admin.get(`/resellers/${'x'.repeat(500)}`)).status, 404)
  t.strictSame(await operators(), before)
})

t.test('only administrators see operators', async t => {
  await makeReseller(pool, 'rita')
  const rita = await signIn(panel, 'rita')
  const before = await operators()
  const paths = [
    ...['/resellers', '/resellers/new', '/resellers/rita', '/resellers/rita/plan'],
    ...['/resellers/rosa/suspend', '/resellers/rita/password', '/resellers/rita/second-factor'],
    ...['/administrators', '/administrators/new', '/administrators/boss'],
  ]
  for (const path of paths) t.equal((await rita.get(path)).status, 403, path)
  t.notMatch((await rita.get('/overview')).text, 'href="/resellers"')
  const fields = { ...rosa, name: 'evil', ...limits, current: 'a password of it' }
  for (const path of paths.filter(path => /new|plan|suspend|password|factor/.test(path))) {
    t.equal((await rita.submit(path, fields)).status, 403, path)
  }
  t.strictSame(await operators(), before)
})

t.test('password managers learn whose each password is', async t => {
  await makeReseller(pool, 'pia')
  const { text } = await admin.get('/resellers/pia/password')
  const kept = text.matchAll(/autocomplete="username" value="(\w+)" hidden|type="(password)"/g)
  t.strictSame(
    [...kept].map(([, name, field]) => name ?? field),
    [...['pia', 'password'], ...['boss', 'password']],
  )
})
