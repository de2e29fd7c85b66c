import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import type { Page } from '../support/web/browser.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// The settings of a website, as its owner and its operators change them on pages.

const panel = await openPanel(t)
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
for (const one of [alice, { ...alice, username: 'bob', domain: 'bob.example' }]) {
  await panel.call('POST', '/api/v1/accounts', { body: one })
}
const customer = await signInAs(panel, 'alice')
const errorIn = (text: string) =>
  (/<p class="error"[^>]*>([^]*?)<\/p>/.exec(text)?.[1] ?? '').replaceAll('&#39;', "'")
const locationOf = ({ headers }: Page) => headers.location ?? ''

t.test('the settings of a website are changed by forms', async t => {
  const page = '/account/sites/alice.example'
  const settings = async () => {
    const { rows } = await panel.pool.query(
      `select settings from panel.sites where domain = 'alice.example'`,
    )
    return rows[0].settings
  }
  const serving = { document_root: 'current/public', fallback: 'index.html', www: 'prefer' }
  t.equal(locationOf(await customer.submit(`${page}/serving`, serving)), page)
  t.strictSame(await settings(), serving)
  t.match((await customer.get(page)).text, 'current/public')
  for (const document_root of ['', '../x', '/etc', 'a//b', 'a/$b']) {
    const refused = await customer.submit(`${page}/serving`, { ...serving, document_root })
    t.equal(refused.status, 422, document_root)
  }
  const lines = '/old https://new.example/x 302\r\n\r\n/a b /c\r\n'
  t.equal(locationOf(await customer.submit(`${page}/redirects`, { redirects: lines })), page)
  t.strictSame((await settings()).redirects, {
    '/old': { to: 'https://new.example/x', code: 302 },
    '/a b': { to: '/c', code: 301 },
  })
  t.match((await customer.get(`${page}/redirects`)).text, '/old https://new.example/x 302')
  for (const redirects of [
    '/old',
    'old /x',
    '/old ftp://x.example/',
    '/old /x 200',
    '/a/../b /x',
  ]) {
    const refused = await customer.submit(`${page}/redirects`, { redirects })
    t.equal(refused.status, 422, redirects)
    t.match(errorIn(refused.text), redirects)
  }
  await customer.submit(`${page}/redirects`, { redirects: '/only /x' })
  t.strictSame(Object.keys((await settings()).redirects), ['/only'], 'the others are gone')
  await customer.submit(`${page}/redirects`, { redirects: '' })
  t.notOk('redirects' in (await settings()))
  const user = { name: 'carol', password: 'correct horse' }
  t.equal(locationOf(await customer.submit(`${page}/users/new`, user)), page)
  t.equal(
    locationOf(await customer.submit(`${page}/protection`, { protected_paths: '/a\r\n/b/' })),
    page,
  )
  t.match(await settings(), {
    protected_paths: ['/a', '/b'],
    users: { carol: /^\$6\$rounds=1000\$/ },
  })
  t.notMatch((await customer.get(page)).text, /\$6\$/)
  const removed = await customer.submit(`${page}/users/remove`, { name: 'carol' })
  t.equal(locationOf(removed), page, errorIn(removed.text))
  await customer.submit(`${page}/protection`, { protected_paths: '' })
  const headers = { hsts_seconds: '60', nosniff: 'on', frame: 'DENY', referrer: '' }
  t.equal(locationOf(await customer.submit(`${page}/headers`, headers)), page)
  t.match(await settings(), { hsts_seconds: 60, headers: { nosniff: true, frame: 'DENY' } })
  t.match((await customer.get(page)).text, 'HSTS 60 s, nosniff, frames: DENY')
  const php = { memory_limit_mb: '64', post_max_mb: '200', display_errors: 'off' }
  t.equal(locationOf(await customer.submit(`${page}/php`, php)), page)
  const stored = { memory_limit_mb: 64, post_max_mb: 200, display_errors: false }
  t.strictSame((await settings()).php, stored)
  t.match((await customer.get(`${page}/php`)).text, /name="memory_limit_mb"[^>]* value="64"/)
  for (const [name, typed] of [
    ['memory_limit_mb', '100000'],
    ['upload_max_mb', '513'],
    ['post_max_mb', '1'],
    ['version', 'x'],
    ['timezone', 'Mars/Base'],
  ] as const) {
    const refused = await customer.submit(`${page}/php`, { [name]: typed })
    t.equal(refused.status, 422, name)
    t.not(errorIn(refused.text), '', name)
  }
  t.equal(locationOf(await customer.submit(`${page}/php`, {})), page)
  t.notOk('php' in (await settings()), 'the defaults are stored as nothing')
  for (const form of ['serving', 'php', 'redirects', 'protection', 'headers', 'users/new']) {
    t.equal((await customer.get(`/account/sites/bob.example/${form}`)).status, 404)
  }
  const usual = { document_root: 'public', fallback: 'index.php', www: 'serve' }
  await customer.submit(`${page}/serving`, usual)
  await customer.submit(`${page}/headers`, { hsts_seconds: '0' })
  t.strictSame(await settings(), {})
})

t.test('extensions of PHP are boxes, and only what differs is stored', async t => {
  const page = '/account/sites/alice.example'
  const stored = async () => {
    const { rows } = await panel.pool.query(
      `select settings #> '{php,extensions}' as found from panel.sites
       where domain = 'alice.example'`,
    )
    return rows[0].found
  }
  t.notMatch((await customer.get(`${page}/php`)).text, 'type="checkbox"', 'before a snapshot')
  const extensions = [
    { name: 'gd', isOn: true },
    { name: 'xdebug', isOn: false },
  ]
  const php = { byDefault: '8.4', versions: [{ version: '8.4', extensions }] }
  await panel.pool.query(
    `update panel.server_snapshot
     set taken_at = now(), took_ms = 1,
       content = coalesce(content, '{}') || jsonb_build_object('php', $1::jsonb)`,
    [JSON.stringify(php)],
  )
  const { text } = await customer.get(`${page}/php`)
  t.match(text, /value="gd" checked> gd \(images\)/)
  t.match(text, /value="xdebug"> xdebug \(debugging, slow\)/)
  const shown = 'gd=on,xdebug=off'
  for (const typed of [
    { shown: 'gd=yes' },
    { shown: 'gd=on;x' },
    { shown, extensions: '../gd' },
    { shown: '__proto__=on' },
  ]) {
    t.equal((await customer.submit(`${page}/php`, typed)).status, 422, JSON.stringify(typed))
  }
  await panel.call('PUT', '/api/v1/packages/starter', { body: { php_extensions: false } })
  const forbidden = await customer.submit(`${page}/php`, { shown, extensions: 'xdebug' })
  t.equal(forbidden.status, 422)
  t.equal(errorIn(forbidden.text), 'The package starter allows no choice of extensions')
  const usual = await customer.submit(`${page}/php`, { shown, extensions: 'gd' })
  t.equal(locationOf(usual), page, 'the usual ones are no choice')
  await panel.call('PUT', '/api/v1/packages/starter', { body: { php_extensions: true } })
  const saved = await customer.submit(`${page}/php`, { shown, extensions: 'xdebug' })
  t.equal(locationOf(saved), page, errorIn(saved.text))
  t.strictSame(await stored(), { gd: false, xdebug: true })
  await customer.submit(`${page}/php`, { shown, extensions: 'gd' })
  t.equal(await stored(), null)
})

t.test('versions of PHP are those that are installed and that the package allows', async t => {
  const page = '/account/sites/alice.example'
  const set = (body: object) => panel.call('PUT', '/api/v1/packages/starter', { body })
  const snapshot = (byDefault: string, ...versions: string[]) =>
    panel.pool.query(
      `update panel.server_snapshot
       set content = coalesce(content, '{}') || jsonb_build_object('php', $1::jsonb)`,
      [
        JSON.stringify({
          byDefault,
          versions: versions.map(one => ({ version: one, extensions: [] })),
        }),
      ],
    )
  const choices = async () => {
    const [, select = ''] = /<select[^>]*name="version"([^]*?)<\/select>/.exec(
      (await customer.get(`${page}/php`)).text,
    )!
    return [...select.matchAll(/<option value="([^"]*)"( selected)?>([^<]*)/g)].map(
      ([, value, selected, label]) => `${value}${selected ? '*' : ''}: ${label}`,
    )
  }
  await snapshot('8.4', '8.10', '8.4', '8.2')
  const all = ['8.10: 8.10', '8.4: 8.4', '8.2: 8.2']
  t.strictSame(await choices(), ['*: The server’s default (8.4)', ...all])
  await set({ php_allowed: ['8.2', '8.4'] })
  const some = ['8.4: 8.4', '8.2: 8.2']
  t.strictSame(await choices(), ['*: The package’s default (8.2)', ...some])
  await set({ php_allowed: ['7.4'] })
  t.strictSame(await choices(), ['*: The server’s default (8.4)'])
  await panel.pool.query(
    `update panel.sites set settings = '{"php": {"version": "8.1"}}'
     where domain = 'alice.example'`,
  )
  await set({ php_allowed: ['8.2'] })
  const kept = '8.1*: 8.1 (the package no longer allows it)'
  t.strictSame(await choices(), [': The package’s default (8.2)', '8.2: 8.2', kept])
  await set({ php_allowed: [] })
  t.strictSame(await choices(), [
    ...[': The server’s default (8.4)', ...all],
    '8.1*: 8.1 (not installed)',
  ])
  t.equal(locationOf(await customer.submit(`${page}/php`, { version: '' })), page)
  t.strictSame(await choices(), ['*: The server’s default (8.4)', ...all])
})

t.test('an administrator changes the settings of an account’s website', async t => {
  const admin = await signIn(panel)
  const page = '/accounts/alice/sites/alice.example'
  t.match((await admin.get('/accounts/alice')).text, `href="${page}"`)
  t.match((await admin.get(page)).text, 'Document root')
  const form = await admin.get(`${page}/serving`)
  t.match(form.text, 'panel site set alice alice.example --document-root public')
  t.match(form.text, 'curl -X PATCH')
  const saved = await admin.submit(`${page}/redirects`, { redirects: '/old /new 308' })
  t.equal(locationOf(saved), page)
  t.match((await admin.get(`${page}/redirects`)).text, '/old /new 308')
  t.equal((await admin.get('/accounts/bob/sites/alice.example')).status, 404)
  t.equal((await admin.get('/accounts/bob/sites/alice.example/serving')).status, 404)
})
