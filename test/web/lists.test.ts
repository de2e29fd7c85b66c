import { brotliCompressSync } from 'node:zlib'
import t from 'tap'
import { withQuery } from '../../src/web/addresses.ts'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { visit } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { pool, call } = panel
const admin = await signIn(panel)

t.test('a page that has nothing yet says what to do first', async t => {
  t.match((await admin.get('/overview')).text, /First steps.*href="\/packages\/new"/s)
  t.match((await admin.get('/accounts')).text, 'Create a package first')
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  t.match((await admin.get('/accounts')).text, 'No accounts yet')
})

t.test('accounts are searched, filtered, sorted and shown a page at a time', async t => {
  await pool.query(`
    insert into panel.accounts (
      seller_id, package_id, username, email, password_hash, state, desired, created_at)
    select p.seller_id, p.id, 'user' || lpad(n::text, 4, '0'), 'mail' || n || '@example.com',
      '$6$x',
      case when n % 10 = 0 then 'suspended' else 'active' end,
      case when n % 10 = 0 then 'suspended' else 'active' end, now() - n * interval '1 hour'
    from panel.packages p, generate_series(1, 120) n`)
  await pool.query(`
    insert into panel.sites (account_id, domain)
    select id, 'shop.' || username || '.example' from panel.accounts where username < 'user0003'`)
  const names = async (query: string) => {
    const { text } = await admin.get(`/accounts?${query}`)
    return [...text.matchAll(/<td[^>]*><a href="\/accounts\/(\w+)"/g)].map(match => match[1])
  }
  t.equal((await names('')).length, 50)
  t.equal((await names('page=3')).length, 20)
  t.equal((await names('page=2'))[0], 'user0051')
  t.equal((await names('sort=-username'))[0], 'user0120')
  t.equal((await names('sort=created'))[0], 'user0120')
  t.equal((await names('state=suspended')).length, 12)
  t.strictSame(await names('q=MAIL77'), ['user0077'])
  t.strictSame(await names('q=shop.user0002'), ['user0002'])
  t.strictSame(await names('q=%25'), [], 'no pattern of the database')
  t.strictSame(await names('q=_'), [])
  t.equal((await names('package=starter')).length, 50)
  t.strictSame(await names('seller=missing'), [])
  await makeReseller(pool, 'house')
  t.strictSame(await names('seller=house'), [], 'a reseller may be named so')
  t.equal((await names('seller=-')).length, 50, 'those of no reseller')
  const second = await admin.get('/accounts?state=active&page=2')
  t.match(second.text, /rel="prev" href="\/accounts\?state=active&amp;page=1"/)
  const late = await admin.get('/accounts?state=active&page=9')
  t.match(late, {
    status: 303,
    headers: { location: '/accounts?state=active&sort=username&page=1' },
  })
  for (const [query, why] of Object.entries({
    'state=none': 'state must be one of provisioning, active, suspended, terminating',
    'sort=password_hash': 'sort must be one of username',
    'page=0': 'page must be at least 1',
    'page=x': 'page must be a number',
    'seller=-x': 'seller must be 2 to 32 of a-z',
    [`q=${'x'.repeat(255)}`]: 'q must have at most 254 characters',
  })) {
    t.match(await admin.get(`/accounts?${query}`), { status: 400, text: why }, query)
  }
  t.equal((await admin.get('/accounts?package=%00')).status, 404)
})

t.test('the search leads to what is meant', async t => {
  const to = async (q: string) =>
    (await admin.get(`/search?q=${encodeURIComponent(q)}`)).headers.location
  t.equal(await to('mail77@example.com'), '/accounts/user0077')
  t.equal(await to(' user0001 '), '/accounts/user0001')
  t.equal(await to('user'), '/accounts?q=user')
  t.equal(await to(''), '/accounts')
  await pool.query(`
    insert into panel.sites (account_id, domain)
    select id, 'xn--mnchen-3ya.example' from panel.accounts where username = 'user0007'`)
  for (const q of [
    ...['https://www.shop.user0002.example/cart?id=1#top', ' WWW.Shop.User0002.example '],
    ...['shop.user0002.example:8443', 'http://shop.user0002.example'],
  ]) {
    t.equal(await to(q), '/accounts/user0002', q)
  }
  for (const q of [
    'münchen.example',
    'https://MÜNCHEN.example/',
    'xn--mnchen-3ya',
    'münchen',
    'ÜNCH',
    'ünchen.ex',
  ]) {
    t.equal(await to(q), '/accounts/user0007', q)
  }
  for (const q of [
    'mönch',
    'ü.example',
    'ünch.example',
    'ü\u{10ffff}',
    `${'ü'.repeat(80)}.example`,
  ]) {
    t.equal(await to(q), withQuery('/accounts', { q }), 'not everything')
  }
  t.equal(await to('info@münchen.example'), withQuery('/accounts', { q: 'info@münchen.example' }))
  t.match((await admin.get('/accounts?q=ünch')).text, /<bdi>münchen.example<\/bdi>/, 'as written')
  t.match((await admin.get('/accounts/user0007')).text, /<bdi[^>]*>münchen.example<\/bdi>/)
  await pool.query(`delete from panel.sites where domain like 'xn--%'`)
  const id = '0b1c3c1e-7d5c-4a3e-9b1a-0123456789ab'
  t.equal(await to(id), `/jobs/${id}`)
})

t.test('a name that a user chose cannot become markup', async t => {
  const hostile = `<script>alert(1)</script>"'javascript:&\u202e${'x'.repeat(300)}`
  await pool.query(`update panel.sites set domain = left(lower($1), 250)`, [hostile])
  await pool.query(`update panel.accounts set email = left($1, 250), suspend_reason = $1`, [
    hostile,
  ])
  await pool.query(`alter table panel.packages drop constraint packages_name_check`)
  await pool.query(`update panel.packages set name = $1`, [hostile])
  for (const path of [
    '/accounts',
    '/accounts/user0001',
    '/accounts/user0010',
    '/packages',
    '/accounts/user0001/settings',
    '/overview',
    `/accounts?q=${encodeURIComponent(hostile)}`,
  ]) {
    const { text } = await admin.get(path)
    t.notMatch(text, /<script>alert|<b>|="javascript:/i, path)
    t.notMatch(text, / style=| on[a-z]+="|<script(?! src="\/assets\/)/, path)
  }
})

t.test('a first visit weighs at most 60 KB, a later page at most 15', async t => {
  await pool.query(`update panel.accounts set email = username || '@example.com'`)
  await pool.query(`update panel.packages set name = 'starter'`)
  const headers = { 'accept-encoding': 'gzip, deflate, br' }
  const { text } = await admin.get('/overview')
  const weigh = async (path: string) => {
    const sent = await visit(`${panel.baseUrl}${path}`, {
      headers: { cookie: admin.cookie, ...headers },
    })
    t.equal(sent.headers['content-encoding'], 'br', path)
    return Number(sent.headers['content-length'])
  }
  const assets = new Set(
    [...text.matchAll(/(?:href|src)="(\/assets\/[^"#]+\.(?:css|js))"/g)].map(m => m[1]!),
  )
  assets.add(/\/assets\/icons\.[^#"]+/.exec(text)![0])
  t.equal(assets.size, 4)
  let whole = 0
  for (const path of ['/overview', ...assets]) whole += await weigh(path)
  t.ok(whole <= 60 * 1024, `${whole} bytes`)
  for (const path of [
    '/overview',
    '/accounts',
    '/accounts/user0001',
    '/accounts/user0001/settings',
  ]) {
    const bytes = await weigh(path)
    t.ok(bytes <= 15 * 1024, `${path}: ${bytes} bytes`)
  }
  const gzip = await admin.get('/accounts', { 'accept-encoding': 'gzip' })
  t.equal(gzip.headers['content-encoding'], 'gzip')
  t.ok(brotliCompressSync(text).length > 0)
})

t.test('pages that there are none of are pages for people', async t => {
  const html = { accept: 'text/html,*/*;q=0.8' }
  const missing = await visit(`${panel.baseUrl}/nothing`, { headers: html })
  t.equal(missing.status, 404)
  t.match(missing.text, '<h1>Not found</h1>')
  const api = await visit(`${panel.baseUrl}/api/v1/nothing`, { headers: html })
  t.match(api.headers['content-type'], 'application/json')
  t.notMatch(missing.text, 'aria-label="Main"', 'no session is open')
  for (const path of ['/accounts/missing', '/nothing', '/accounts/%00', '/accounts/%zz']) {
    const unknown = await admin.get(path, html)
    t.equal(unknown.status, 404, path)
    t.match(unknown.text, 'aria-label="Main"', `${path} is within the frame`)
  }
  for (const path of ['/accounts/%zz', '/accounts/%00', '/accounts?q=%00', '/search?q=a%00b']) {
    t.equal((await admin.get(path)).status, 404, path)
  }
  t.equal((await admin.get('/jobs/1')).status, 404)
})
