import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import type { Page } from '../support/web/browser.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

let failures = 0
const gate = openGate(() => failures-- > 0)
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await call('PUT', '/api/v1/packages/closed', { body: { max_sites: 3, sftp: false } })
await call('POST', '/api/v1/accounts', { body: alice })
const bob = { ...alice, username: 'bob', domain: 'bob.example' }
await call('POST', '/api/v1/accounts', { body: bob })

const customer = await signInAs(panel, 'alice')
const domains = async () =>
  (
    await pool.query<{ domain: string }>(
      `select s.domain from panel.sites s join panel.accounts a on a.id = s.account_id
       where a.username = 'alice' and s.added_by is null order by s.id`,
    )
  ).rows.map(({ domain }) => domain)
const folderOf = (domain: string) => existsSync(join(panel.root, `home/alice/sites/${domain}`))
const errorIn = (text: string) =>
  (/<p class="error"[^>]*>([^]*?)<\/p>/.exec(text)?.[1] ?? '').replaceAll('&#39;', "'")
const locationOf = ({ headers }: Page) => headers.location ?? ''

t.test('a customer sees what it has, and nothing of it can become markup', async t => {
  await pool.query(
    `insert into panel.disk_usage (account_id, bytes, measured_at)
     select id, 5000000, now() from panel.accounts`,
  )
  const { status, text } = await customer.get('/account')
  t.equal(status, 200)
  for (const shown of ['Your hosting', 'starter', 'alice.example', '5 MB of 1 GB', 'panel.test']) {
    t.match(text, shown)
  }
  t.notMatch(text, 'bob')
  t.notMatch(text, '0.0.0', 'the version is nothing to a customer')
  await pool.query(`update panel.sites set domain = '<b>"&bold' where domain = 'alice.example'`)
  for (const path of ['/account', '/account/sites']) {
    const page = await customer.get(path)
    t.match(page.text, '&lt;b&gt;&quot;&amp;bold')
    t.notMatch(page.text, '<b>')
  }
  await pool.query(`update panel.sites set domain = 'alice.example' where domain like '<b>%'`)
})

t.test('a customer finds only its own things', async t => {
  const to = async (q: string) =>
    locationOf(await customer.get(`/account/search?q=${encodeURIComponent(q)}`))
  t.equal(await to(' ALICE.ex'), '/account/sites/alice.example')
  t.equal(await to('https://www.alice.example/shop/'), '/account/sites/alice.example')
  await pool.query(`update panel.sites set domain = 'xn--mnchen-3ya.example'
    where domain = 'alice.example'`)
  for (const q of ['ÜNCH', 'nchen.ex', 'münchen.example']) {
    t.equal(await to(q), '/account/sites/xn--mnchen-3ya.example', q)
  }
  for (const path of ['/account/sites', '/account/sites/xn--mnchen-3ya.example']) {
    t.match((await customer.get(path)).text, /<bdi[^>]*>münchen.example<\/bdi>/, 'as it is written')
  }
  await pool.query(`update panel.sites set domain = 'alice.example' where domain like 'xn--%'`)
  const id = '0b1c3c1e-7d5c-4a3e-9b1a-000000000001'
  t.equal(await to(id), `/account/jobs/${id}`)
  t.match((await customer.get('/account/search?q=bob')).text, 'No results')
  t.match((await customer.get('/account')).text, 'action="/account/search"')
  await pool.query(`
    insert into panel.databases (account_id, name, desired)
    select id, username || '_shop', 'present' from panel.accounts`)
  t.equal(await to('shop'), '/account/databases/alice_shop')
  const { text } = await customer.get('/account/search?q=alice')
  t.match(text, 'href="/account/sites/alice.example"')
  t.match(text, 'href="/account/databases/alice_shop"')
  await pool.query('delete from panel.databases')
})

t.test('a website is added, once, and says which records its name needs', async t => {
  const domain = 'Shop.Alice.example'
  const sent = { key: crypto.randomUUID() }
  const twice = await Promise.all([
    customer.submit('/account/sites/new', { domain }, sent),
    customer.submit('/account/sites/new', { domain }, sent),
  ])
  for (const page of twice) {
    t.equal(page.status, 303)
    t.match(locationOf(page), /^\/account\/(sites\/shop\.alice\.example|jobs\/[\w-]{36}\?then=)/)
  }
  await until(() => folderOf('shop.alice.example'))
  t.strictSame(await domains(), ['alice.example', 'shop.alice.example'])
  const { text } = await customer.get('/account/sites/shop.alice.example')
  for (const shown of ['203.0.113.4', '2001:db8::4', 'AAAA', 'www.shop.alice.example', 'CNAME']) {
    t.match(text, shown)
  }
  t.match(text, '/sites/shop.alice.example/public')
  const jobs = await customer.get('/account/jobs')
  t.equal(jobs.text.match(/Add website/g)?.length, 1)
})

t.test('a failed add shows the same form with a sentence, and changes nothing', async t => {
  const refusals = [
    ['', 'Domain is required'],
    ['no.domain at all', 'is not a domain name'],
    ['localhost', 'must have at least two labels'],
    ['"><script>alert(1)</script>.example', 'must have at least two labels'],
    ['"><b>alert(1).example', 'is not a domain name'],
    [`${'a'.repeat(300)}.example`, 'must have at most'],
    ['co.uk', 'is a public suffix'],
    ['panel.test', "panel's own"],
    ['bob.example', 'Domain bob.example is taken'],
    ['alice.example', 'Domain alice.example is taken'],
  ]
  const before = await domains()
  for (const [domain = '', sentence = ''] of refusals) {
    const { status, text } = await customer.submit('/account/sites/new', { domain })
    t.equal(status, 422, domain)
    t.equal(errorIn(text).includes(sentence), true, errorIn(text))
    t.match(text, /<form method="post" action="\/account\/sites\/new"/)
    t.notMatch(text, '<script>alert')
    t.notMatch(text, 'bob@')
  }
  t.strictSame(await domains(), before)
  await customer.submit('/account/sites/new', { domain: 'third.example' })
  const full = await customer.submit('/account/sites/new', { domain: 'four.example' })
  t.match(full, { status: 422, text: 'allows 3 websites' })
  t.match(
    (await customer.get('/account/sites/new')).text,
    '3 websites, and you already have that many',
  )
  t.notMatch((await customer.get('/account/sites')).text, 'href="/account/sites/new"')
})

t.test('visitors are sent to https where the customer says so', async t => {
  const page = '/account/sites/shop.alice.example'
  t.match((await customer.get(page)).text, 'http:// are not redirected to https://')
  const saved = await customer.submit(`${page}/https`, { https_only: 'on' })
  t.equal(locationOf(saved), page)
  t.match((await customer.get(page)).text, 'redirected to https://, once there is a certificate')
  t.match((await customer.get(`${page}/https`)).text, /name="https_only"[^>]* checked/)
  await customer.submit(`${page}/https`, {})
  t.match((await customer.get(page)).text, 'http:// are not redirected to https://')
  t.equal((await customer.get('/account/sites/nothing.example/https')).status, 404)
})

t.test('sources are served at the customer’s request, after a warning', async t => {
  const page = '/account/sites/shop.alice.example'
  t.match((await customer.get(page)).text, 'database dumps are not public.')
  const form = (await customer.get(`${page}/sources`)).text
  for (const reported of ['config.php.bak', 'passwords', '.env', 'wp-config.php'])
    t.match(form, reported)
  t.notMatch(form, /name="serves_sources"[^>]* checked/)
  t.equal(locationOf(await customer.submit(`${page}/sources`, { serves_sources: 'on' })), page)
  t.match((await customer.get(page)).text, 'database dumps are public')
  t.match((await customer.get(`${page}/sources`)).text, /name="serves_sources"[^>]* checked/)
  await customer.submit(`${page}/sources`, {})
  t.match((await customer.get(page)).text, 'database dumps are not public.')
  for (const domain of ['nothing.example', 'bob.example']) {
    t.equal((await customer.get(`/account/sites/${domain}/sources`)).status, 404)
    const sent = { serves_sources: 'on' }
    t.equal((await customer.submit(`/account/sites/${domain}/sources`, sent)).status, 404)
  }
})

t.test('a website goes when its name was typed, and its files are kept', async t => {
  const path = '/account/sites/third.example/remove'
  t.match((await customer.get(path)).text, '/files/removed-third.example')
  for (const confirm of ['', 'third', 'alice.example']) {
    const { status, text } = await customer.submit(path, { confirm })
    t.equal(status, 422)
    t.match(text, 'Type exactly &quot;third.example&quot;')
  }
  t.ok(folderOf('third.example'))
  const removed = await customer.submit(path, { confirm: 'third.example' })
  t.equal(locationOf(removed), '/account/sites')
  t.notOk(folderOf('third.example'))
  t.ok(existsSync(join(panel.root, 'home/alice/files/removed-third.example')))
  const again = await customer.submit(path, { confirm: 'third.example' })
  t.equal(again.status, 404)
  t.equal((await customer.get('/account/sites/third.example')).status, 404)
})

t.test('work that takes long is followed on the customer’s own page of it', async t => {
  gate.close()
  const sent = { domain: 'late.example' }
  const key = crypto.randomUUID()
  const late = await customer.submit('/account/sites/new', sent, { key })
  t.equal(late.status, 303)
  t.match(locationOf(late), /^\/account\/jobs\/[\w-]{36}\?then=%2Faccount%2Fsites%2Flate\.example$/)
  const page = await customer.get(locationOf(late))
  t.equal(page.status, 200)
  t.match(page.text, 'In progress.')
  t.match((await customer.get('/account/sites')).text, 'being added')
  const other = await customer.submit('/account/sites/new', { domain: 'else.example' }, { key })
  t.equal(other.status, 422)
  t.match(other.text, /href="\/account\/jobs\/[\w-]{36}"/)
  gate.open()
  await until(async () => (await customer.get(locationOf(late))).status === 303)
  t.equal(locationOf(await customer.get(locationOf(late))), '/account/sites/late.example')
  const repeat = await customer.submit('/account/sites/new', sent, { key })
  t.equal(locationOf(repeat), '/account/sites/late.example')
  await customer.submit('/account/sites/late.example/remove', { confirm: 'late.example' })
})

t.test('work that fails is undone, says so, and may be tried again', async t => {
  failures = 1
  const failed = await customer.submit('/account/sites/new', { domain: 'unlucky.example' })
  t.match(locationOf(failed), /^\/account\/jobs\/[\w-]{36}$/)
  const { text } = await customer.get(locationOf(failed))
  t.match(text, 'It failed and was undone')
  t.notMatch(text, 'staged', 'why is for administrators')
  t.notOk((await domains()).includes('unlucky.example'))
  const again = await customer.submit('/account/sites/new', { domain: 'unlucky.example' })
  t.equal(locationOf(again), '/account/sites/unlucky.example')
  await customer.submit('/account/sites/unlucky.example/remove', { confirm: 'unlucky.example' })
})

t.test('usage of a year is drawn, and a table too', async t => {
  await pool.query(
    `insert into panel.disk_months (account_id, month, bytes)
     select id, (date_trunc('month', now() at time zone 'UTC') - m * interval '1 month')::date,
       (1000 + m) * 1048576::bigint
     from panel.accounts, generate_series(0, 13) m where username = 'alice'`,
  )
  const { text } = await customer.get('/account/usage')
  t.equal(text.match(/<svg viewBox="0 0 668/g)?.length, 2)
  t.match(text, '<td class="number">1,000 MB</td>')
  t.match(text, '<td class="number">1,011 MB</td>')
  const { text: sellers } = await (await signIn(panel)).get('/accounts/alice')
  t.match(sellers, '<td class="number">1,011 MB</td>', 'its sellers see it too')
  t.notMatch(text, '1,012 MB', 'twelve months, and no more')
})

t.test('a customer’s job leads back to all of them', async t => {
  const { rows } = await pool.query(
    `select id from panel.operations where username = 'alice' and name = 'account/create'`,
  )
  const { text } = await customer.get(`/account/jobs/${rows[0].id}`)
  t.match(text, '<a href="/account/jobs">Jobs</a>')
})

t.test('paused work is reported as paused, and goes on by itself', async t => {
  const admin = await signIn(panel)
  await admin.submit('/jobs/pause', { task: 'account/set-password' })
  const fields = { current: alice.password, password: alice.password }
  const sent = await customer.submit('/account/security/password', fields)
  t.match(locationOf(sent), /^\/account\/jobs\//)
  const { text } = await customer.get(locationOf(sent))
  t.match(text, 'Jobs of this kind are paused on this server.')
  t.match(text, 'queued, paused')
  t.match(text, 'hx-trigger="every 1s"')
  t.notMatch(text, 'About to start')
  await admin.submit('/jobs/resume', { task: 'account/set-password' })
  const ended = await until(async () => {
    const page = await customer.get(locationOf(sent))
    return page.status === 303 && page
  })
  t.equal(locationOf(ended), '/account/security')
})

t.test('others’ jobs, and pages of owners, are not a customer’s', async t => {
  const { rows } = await pool.query(`select id from panel.operations where username = 'bob'`)
  t.equal((await customer.get(`/account/jobs/${rows[0].id}`)).status, 404)
  t.equal((await customer.get('/account/jobs/nonsense')).status, 404)
  t.equal((await customer.get('/account/sites/bob.example')).status, 404)
  t.equal((await customer.get('/accounts')).headers.location, '/sign-in?to=%2Faccounts')
})

t.test('suspended, a customer reads so, and whom to ask', async t => {
  const seller = await makeReseller(pool, 'bigshop')
  await call('PUT', '/api/v1/packages/basic', { token: seller.token, body: {} })
  const body = { ...alice, username: 'carol', package: 'basic', domain: null }
  await call('POST', '/api/v1/accounts', { token: seller.token, body })
  const both = [await signInAs(panel, 'bob'), await signInAs(panel, 'carol')]
  const forms = both.map(one =>
    one.submit('/account/sites/new', { domain: 'x.example' }, { token: '' }),
  )
  t.strictSame(
    (await Promise.all(forms)).map(({ status }) => status),
    [403, 403],
  )
  for (const name of ['bob', 'carol']) await call('POST', `/api/v1/accounts/${name}/suspend`)
  const pages = await Promise.all(both.map(one => one.get('/account/sites')))
  for (const { status, text } of pages) {
    t.equal(status, 403)
    t.match(text, 'This account is suspended')
  }
  t.match(pages[0]!.text, 'the operator of panel.test')
  t.match(pages[1]!.text, 'href="mailto:bigshop@example.com"')
  const sent = await both[0]!.submit('/account/sites/new', { domain: 'x.example' })
  t.equal(sent.status, 403)
  for (const name of ['bob', 'carol']) await call('POST', `/api/v1/accounts/${name}/unsuspend`)
  t.equal(locationOf(await both[0]!.get('/account')), '/sign-in?to=%2Faccount')
})
