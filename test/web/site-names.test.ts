import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import type { Page } from '../support/web/browser.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Aliases of a website and redirects of its names, as its owner and its operators change them.

const panel = await openPanel(t)
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_aliases: 2 } })
for (const one of [alice, { ...alice, username: 'bob', domain: 'bob.example' }]) {
  await panel.call('POST', '/api/v1/accounts', { body: one })
}
const customer = await signInAs(panel, 'alice')
const admin = await signIn(panel)
const locationOf = ({ headers }: Page) => headers.location ?? ''
const page = '/account/sites/alice.example'
const aliases = async () =>
  (await panel.pool.query('select name from panel.site_aliases order by id')).rows.map(
    ({ name }) => name,
  )
const settings = async () =>
  (await panel.pool.query(`select settings from panel.sites where domain = 'alice.example'`))
    .rows[0].settings

t.test('a customer adds and removes aliases', async t => {
  t.match((await customer.get(`${page}/aliases/new`)).text, 'room for 2 more aliases')
  const added = await customer.submit(`${page}/aliases/new`, { name: 'Bücher.example' })
  t.equal(locationOf(added), page)
  t.strictSame(await aliases(), ['xn--bcher-kva.example'])
  const { text } = await customer.get(page)
  t.match(text, /xn--bcher-kva\.example <bdi>bücher\.example<\/bdi>/)
  t.match(text, /www\.xn--bcher-kva\.example/, 'among the DNS records')
  for (const name of ['', 'bob.example', 'alice.example', 'a b', 'x.bob.example']) {
    t.equal((await customer.submit(`${page}/aliases/new`, { name })).status, 422, name)
  }
  await customer.submit(`${page}/aliases/new`, { name: 'second.example' })
  t.match((await customer.get(`${page}/aliases/new`)).text, 'allows 2 aliases')
  await customer.submit(`${page}/aliases/remove`, { name: 'xn--bcher-kva.example' })
  t.strictSame(await aliases(), ['second.example'])
})

t.test('a name that has no certificate yet says why', async t => {
  await panel.pool.query(`update panel.server set issues_certificates = true`)
  const words = 'second.example points to 192.0.2.7, which is not this server'
  await panel.pool.query(
    `insert into panel.certificates (site_id, due_at, missing)
     select id, null, $1 from panel.sites where domain = 'alice.example'`,
    [JSON.stringify({ 'second.example': words })],
  )
  t.match((await customer.get(page)).text, words)
  t.match((await admin.get('/accounts/alice/sites/alice.example')).text, words)
})

t.test('whole names are redirected, by lines', async t => {
  const lines =
    'second.example https://new.example\r\nwww.alice.example https://x.example 302 drop-path'
  const form = `${page}/name-redirects`
  t.equal(locationOf(await customer.submit(form, { name_redirects: lines })), page)
  t.strictSame((await settings()).name_redirects, {
    'second.example': { to: 'https://new.example/', code: 301, keeps_path: true },
    'www.alice.example': { to: 'https://x.example/', code: 302, keeps_path: false },
  })
  t.match((await customer.get(form)).text, 'www.alice.example https://x.example/ 302 drop-path')
  for (const name_redirects of [
    'second.example',
    'bob.example https://new.example',
    'second.example /path',
    'second.example https://new.example 200',
    'second.example https://new.example 301 keep',
  ]) {
    t.equal((await customer.submit(form, { name_redirects })).status, 422, name_redirects)
  }
  await customer.submit(form, { name_redirects: 'second.example https://only.example' })
  t.strictSame(Object.keys((await settings()).name_redirects), ['second.example'])
  await customer.submit(`${page}/aliases/remove`, { name: 'second.example' })
  t.notOk('name_redirects' in (await settings()))
})

t.test('a policy is set with the other headers', async t => {
  const headers = { hsts_seconds: '0', frame: '', referrer: '' }
  const policy = "default-src 'self'; img-src *"
  t.equal(locationOf(await customer.submit(`${page}/headers`, { ...headers, csp: policy })), page)
  t.strictSame((await settings()).headers, { csp: policy })
  const refused = await customer.submit(`${page}/headers`, { ...headers, csp: "img-src 'nonce-x'" })
  t.equal(refused.status, 422)
  t.match(refused.text, /cannot take a nonce/)
  await customer.submit(`${page}/headers`, { ...headers, csp: '' })
  t.notOk('headers' in (await settings()))
})

t.test('an operator changes them, and another customer does not', async t => {
  const site = '/accounts/alice/sites/alice.example'
  t.equal(locationOf(await admin.submit(`${site}/aliases/new`, { name: 'third.example' })), site)
  const form = await admin.get(`${site}/aliases/new`)
  t.match(form.text, 'panel site set alice alice.example --alias')
  t.match((await admin.get(site)).text, 'third.example')
  const bob = await signInAs(panel, 'bob')
  for (const path of [`${page}/aliases/new`, `${page}/name-redirects`, `${site}/aliases/new`]) {
    t.not((await bob.get(path)).status, 200, path)
  }
})
