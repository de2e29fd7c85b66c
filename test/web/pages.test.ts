import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openApi } from '../../src/api/app.ts'
import { vendorKey } from '../../src/model/server/license.ts'
import { openPages } from '../../src/web/routes.ts'
import { surroundings } from '../support/panel.ts'
import { cookieOf, openWeb, visit as visitUrl } from '../support/web/browser.ts'

const { panel, link, visit } = await openWeb(t)
const { pool } = panel

const signIn = async () => cookieOf(await visit(await link()))

t.test('every page is closed to all but our own style sheet and forms', async t => {
  const cookie = await signIn()
  const path = await link()
  const pages = {
    'a session': await visit('/account', { headers: { cookie } }),
    'a button': await visit(path, { headers: { purpose: 'prefetch' } }),
    'no origin': await visit(path, { method: 'POST' }),
    'a visit': await visit(path),
    'a link that is over': await visit(path),
  }
  for (const [what, { headers, text }] of Object.entries(pages)) {
    t.match(headers['content-type'], 'text/html; charset=utf-8', what)
    t.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    t.equal(headers['referrer-policy'], what.includes('session') ? 'same-origin' : 'no-referrer')
    t.equal(headers['cross-origin-opener-policy'], 'same-origin')
    t.match(headers['permissions-policy'], 'camera=()')
    t.equal(headers['strict-transport-security'], 'max-age=31536000')
    t.equal(headers['cache-control'], 'no-store')
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['x-frame-options'], 'DENY')
    t.notMatch(text, /<script(?! src="\/assets\/)|<style|style=|\son[a-z]+=/i)
    t.match(text, '<html lang="en">')
    t.match(text, 'name="viewport" content="width=device-width')
  }
  const statuses = Object.values(pages).map(({ status }) => status)
  t.strictSame(statuses, [200, 200, 403, 303, 410])
})

t.test('styles and scripts are ours, and browsers keep them for good', async t => {
  const { text } = await visit('/account', { headers: { cookie: await signIn() } })
  const [, path = ''] = /href="(\/assets\/panel\.[\w-]{10}\.css)"/.exec(text) ?? []
  const style = await visit(path)
  t.equal(style.status, 200)
  t.equal(style.headers['content-type'], 'text/css; charset=utf-8')
  t.equal(style.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.match(style.text, 'light-dark(')
  t.notMatch(style.text, /url\(|@import/)
  t.equal((await visit(path.replace('panel.', 'panel.x'))).status, 404)
})

t.test('a session is one only with its own cookie and for its own time', async t => {
  const cookie = await signIn()
  const get = async (headers: Record<string, string>) =>
    (await visit('/account', { headers })).status
  t.equal(await get({ cookie: `other=1; ${cookie}; more=2` }), 200)
  t.equal(
    await get({ cookie: `__Host-panel-account=planted; ${cookie}` }),
    200,
    'not the first of the name',
  )
  const value = cookie.replace('__Host-panel-account=', '')
  for (const other of [
    `panel-account=${value}`,
    `__Host-panel=${value}`,
    `__Host-panel-account=${'A'.repeat(43)}`,
    '__Host-panel-account=',
  ]) {
    t.equal(await get({ cookie: other }), 303, other)
  }
  t.equal(await get({ authorization: `Bearer ${panel.token}` }), 303, 'a token is no session')
  t.equal(await get({ authorization: `Bearer ${value}` }), 303)
  await pool.query('update panel.sessions set expires_at = now()')
  t.equal(await get({ cookie }), 303)
})

t.test('a session is no token', async t => {
  const cookie = await signIn()
  for (const path of ['/api/v1/accounts', '/api/v1/accounts/alice', '/api/v1/usage']) {
    t.equal((await visit(path, { headers: { cookie } })).status, 401, path)
    const value = cookie.replace('__Host-panel-account=', '')
    const headers = { cookie, authorization: `Bearer ${value}` }
    t.equal((await visit(path, { headers })).status, 401, path)
  }
  const headers = { cookie, authorization: `Bearer ${panel.token}` }
  t.equal(
    (await visit('/api/v1/accounts', { headers })).status,
    200,
    'a token counts in addition to it',
  )
})

t.test('other methods are refused with those that there are', async t => {
  const answer = await visit(`/sso/${'A'.repeat(43)}`, { method: 'DELETE' })
  t.equal(answer.status, 405)
  t.equal(answer.headers.allow, 'GET, HEAD, POST')
  t.equal((await visit('/account', { method: 'POST' })).status, 405)
})

t.test('without https the cookie goes without what browsers would refuse', async t => {
  const base = 'http://127.0.0.1:8080'
  const license = { file: `${panel.root}/license`, key: vendorKey, isDevelopment: true }
  const { databaseUrl } = panel
  const api = await openApi({
    databaseUrl,
    baseUrl: base,
    ...surroundings,
    ownNames: [],
    license,
    pages: openPages,
  })
  t.teardown(api.stop)
  api.server.listen(0, '127.0.0.1')
  await once(api.server, 'listening')
  const { port } = api.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const answer = await fetch(`${url}/api/v1/accounts/alice/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${panel.token}`, 'x-forwarded-host': 'evil.example' },
  })
  const made = ((await answer.json()) as { url: string }).url
  t.match(made, /^http:\/\/127\.0\.0\.1:8080\/sso\//, 'the link is made from the base URL')
  const page = await visitUrl(made.replace(base, url), { headers: { host: 'evil.example' } })
  t.equal(page.status, 303)
  t.match(
    page.headers['set-cookie']?.[0],
    /^panel-account=[^;]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  t.equal(page.headers.location, '/account')
  const headers = { cookie: cookieOf(page) }
  t.equal((await visitUrl(`${url}/account`, { headers })).status, 200)
})
