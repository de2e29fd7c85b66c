import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { changeSharedParents } from '../../src/model/sites/shared-parents.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Further names of websites: which of them an account may have, and what becomes of a name whose
// change fails.

let failing: (step: string) => boolean = () => false
const gate = openGate(step => failing(step))
const panel = await openPanel(t, { observe: gate.observe })
const { call, pool, root } = panel
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const set = (...words: string[]) =>
  callPanel(['site', 'set', 'alice', 'alice.example', ...words], environment)

await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3, max_aliases: 5 } })
await call('PUT', '/api/v1/packages/narrow', { body: { max_sites: 3, max_aliases: 1 } })
await call('POST', '/api/v1/accounts', { body: alice })
await call('POST', '/api/v1/accounts', {
  body: { ...alice, username: 'bob', domain: 'bob.example' },
})
const { token } = await createToken(pool, {
  ...{ owner: 'admin', name: 'Sites', permission: 'Sites' },
})
const patch = (body: object, username = 'alice', options: object = {}) =>
  call('PATCH', `/api/v1/accounts/${username}/sites/${username}.example`, {
    ...{ token, body },
    ...options,
  })
const aliases = async (username = 'alice') => {
  const path = `/api/v1/accounts/${username}/sites/${username}.example`
  return (await call('GET', path, { token })).body.aliases
}
const names = async () =>
  (await pool.query('select name from panel.site_names order by 1')).rows.map(({ name }) => name)
const isLinked = (name: string) => existsSync(join(root, 'var/lib/panel/web/names', name))

const own = ['alice.example', 'bob.example', 'www.alice.example', 'www.bob.example']

t.test('names that an account may not have are refused', async t => {
  t.equal((await patch({ aliases: ['taken.example'] }, 'bob')).status, 200)
  const before = await names()
  await changeSharedParents(pool, { added: ['free.example'] })
  const long = `${'a'.repeat(60)}.`.repeat(4)
  const refused: [name: unknown, error: RegExp, reason: string][] = [
    ['bob.example', /bob\.example is taken/, 'domain_taken'],
    ['www.bob.example', /bob\.example is taken/, 'domain_taken'],
    ['BOB.example', /bob\.example is taken/, 'domain_taken'],
    ['taken.example', /taken\.example is taken/, 'domain_taken'],
    ['www.taken.example', /taken/, 'domain_taken'],
    ['x.taken.example', /subdomain or a parent/, 'domain_taken'],
    ['x.bob.example', /subdomain or a parent/, 'domain_taken'],
    ['alice.example', /alice\.example is the website's domain/, 'invalid'],
    ['www.alice.example', /alice\.example is the website's domain/, 'invalid'],
    ['free.example', /only root/, 'domain_taken'],
    ['localhost', /./, 'invalid'],
    ['panel.test', /is the panel's own/, 'domain_taken'],
    ['x.panel.test', /below the panel's own/, 'domain_taken'],
    ['*.alice.example', /is not a domain name/, 'invalid'],
    ['trailing.example.', /must not end with a dot/, 'invalid'],
    ['a..example', /is not a domain name/, 'invalid'],
    ['../../etc', /is not a domain name/, 'invalid'],
    ['a/b.example', /is not a domain name/, 'invalid'],
    ['line\n.example', /is not a domain name/, 'invalid'],
    ['192.0.2.1', /is not a domain name/, 'invalid'],
    ['co.uk', /is a public suffix/, 'invalid'],
    ['xn--a.example', /broken xn--/, 'invalid'],
    [`${long}example.com`, /must have at most 249 characters/, 'invalid'],
    ['', /./, 'invalid'],
    [7, /./, 'invalid'],
  ]
  for (const [name, error, reason] of refused) {
    const answer = await patch({ aliases: ['fine.example', name] })
    t.equal(answer.status, 400, `${name}`)
    t.match(answer.body.error, error)
    t.equal(answer.headers.get('x-panel-reason'), reason, `${name}`)
  }
  const many = Array.from({ length: 50 }, (_, n) => `n${n}.example`)
  t.match((await patch({ aliases: many })).body.error, /at most 49/)
  t.strictSame(await names(), before, 'and none of them is reserved')
  t.strictSame(await aliases(), [])
  // Below an account's own names, and with another's above the shared parent.
  t.equal((await patch({ aliases: ['x.alice.example', 'alice.free.example'] })).status, 200)
  t.match((await patch({ aliases: ['bob.free.example'] }, 'bob')).status, 200)
  t.match((await patch({ aliases: ['x.alice.free.example'] }, 'bob')).status, 400)
  for (const username of ['alice', 'bob']) await patch({ aliases: [] }, username)
  t.strictSame(await names(), own)
})

t.test('a name longer than the others and one in Unicode are served', async t => {
  const longest = `${`${'a'.repeat(60)}.`.repeat(3)}${'b'.repeat(58)}.example`
  t.equal(longest.length, 249)
  t.match(await patch({ aliases: [longest, 'bücher.example', 'ALICE.org.example'] }), {
    status: 200,
    body: { aliases: [longest, 'xn--bcher-kva.example', 'alice.org.example'] },
  })
  t.ok(isLinked(`www.${longest}`))
  t.match(await patch({ aliases: null }), { status: 200, body: { aliases: [] } })
  t.notOk(isLinked(longest))
  t.match(await patch({ aliases: ['a.example'] }), { status: 200 })
  t.match(await patch({ aliases: '' }), { status: 200, body: { aliases: [] } })
})

t.test('two accounts cannot both have a name, or one below the other’s', async t => {
  for (const [one, other] of [
    ['race.example', 'race.example'],
    ['race.example', 'below.race.example'],
    ['www.race.example', 'race.example'],
  ] as const) {
    const both = [patch({ aliases: [one] }), patch({ aliases: [other] }, 'bob')]
    const answers = (await Promise.all(both)).map(({ status }) => status)
    t.strictSame(answers.sort(), [200, 400], `${one} ${other}`)
    for (const username of ['alice', 'bob']) await patch({ aliases: [] }, username)
  }
  const body = { username: 'eve', password: 'correct horse battery', email: 'e@example.com' }
  const domain = 'x.race.example'
  t.equal((await patch({ aliases: ['race.example'] })).status, 200)
  const created = await call('POST', '/api/v1/accounts', {
    body: { ...body, package: 'starter', domain },
  })
  t.match(created, { status: 400, body: { error: /a parent of a domain that is taken/ } })
  await patch({ aliases: ['below.race.example'] })
  const above = await call('POST', '/api/v1/accounts', {
    body: { ...body, package: 'starter', domain: 'race.example' },
  })
  t.equal(above.status, 400)
  await patch({ aliases: [] })
})

t.test('the package limits them', async t => {
  const five = Array.from({ length: 5 }, (_, n) => `n${n}.example`)
  t.equal((await patch({ aliases: five })).status, 200)
  const more = await set('--alias', 'one-more.example')
  t.match(more, { code: 1, stderr: /The package starter allows 5 aliases/ })
  t.equal((await patch({ aliases: ['other.example', ...five.slice(1)] })).status, 200)
  const path = '/api/v1/accounts/alice/package'
  const narrow = await call('PUT', path, { body: { package: 'narrow' } })
  t.match(narrow, { status: 400, body: { error: /narrow allows 1 alias; the account has more/ } })
  t.equal(narrow.headers.get('x-panel-reason'), 'too_many_site_aliases')
  t.match(await set('--remove-alias', 'gone.example'), { code: 1, stderr: /is not an alias/ })
  t.equal((await patch({ aliases: [] })).status, 200)
  t.strictSame(await names(), own)
})

t.test('a repeat of a request changes nothing', async t => {
  const headers = { 'idempotency-key': 'alias-1' }
  const first = await patch({ aliases: ['again.example'] }, 'alice', { headers })
  await patch({ aliases: [] })
  const again = await patch({ aliases: ['again.example'] }, 'alice', { headers })
  t.equal(again.text, first.text)
  t.strictSame(await aliases(), [])
})

t.test('a failed change leaves the names as they were', async t => {
  await patch({ aliases: ['kept.example'] })
  failing = step => step === 'websites'
  const failed = await patch({ aliases: ['new.example'] })
  t.equal(failed.status, 500)
  failing = () => false
  await until(async () => (await names()).every(name => !/new/.test(name)))
  t.strictSame(await aliases(), ['kept.example'])
  t.ok(isLinked('kept.example'))
  t.notOk(isLinked('new.example'))
  t.equal((await patch({ aliases: ['new.example'] }, 'bob')).status, 200, 'the name is free')
  await patch({ aliases: [] }, 'bob')
})

t.test('a name that waits for its turn is reserved until its request is cancelled', async t => {
  gate.close()
  const first = patch({ aliases: ['kept.example', 'first.example'] })
  await gate.reached()
  const headers = { prefer: 'wait=0' }
  const second = await patch({ aliases: ['second.example'] }, 'alice', { headers })
  t.equal(second.status, 504)
  t.match(await patch({ aliases: ['second.example'] }, 'bob'), { status: 400 })
  t.match(await patch({ aliases: ['kept.example'] }), {
    status: 400,
    body: { error: /kept\.example is being added or removed/ },
  })
  const { rows } = await pool.query(`select id from panel.operations where state = 'blocked'`)
  for (const { id } of rows) await pool.query('select panel.cancel_operation($1)', [id])
  gate.open()
  t.equal((await first).status, 200)
  t.strictSame(await aliases(), ['kept.example', 'first.example'])
  t.equal((await patch({ aliases: ['second.example'] }, 'bob')).status, 200)
})

t.test('redirects of names that cannot work are refused', async t => {
  const to = 'https://new.example/'
  const refused: [change: object, error: RegExp][] = [
    [{ 'bob.example': { to } }, /bob\.example is not a name of the website/],
    [{ 'kept.example': { to: '/path' } }, /must be an address such as/],
    [{ 'kept.example': { to: 'https://new.example/?a=b' } }, /a path cannot be added/],
    [{ 'kept.example': { to: 'javascript:alert(1)' } }, /must be an address/],
    [{ 'kept.example': { to: 'https://u:p@new.example/' } }, /must not contain a password/],
    [{ 'kept.example': { to: 'https://new.example/\r\nX: y' } }, /invisible characters/],
    [{ 'kept.example': { to: 'https://kept.example/' } }, /would lead back/],
    [{ 'kept.example': { to, code: 303 } }, /./],
    [{ 'kept.example/x': { to } }, /is not a domain name/],
    [
      {
        'kept.example': { to: 'https://first.example' },
        'first.example': { to: 'http://kept.example' },
      },
      /would lead back/,
    ],
  ]
  for (const [change, error] of refused) {
    const answer = await patch({ name_redirects: change })
    t.match(answer, { status: 400, body: { error } }, JSON.stringify(change))
  }
  const back = { 'alice.example': { to: 'https://www.alice.example' } }
  t.match(await patch({ www: 'redirect', name_redirects: back }), { status: 400 })
  t.match(await patch({ name_redirects: back }), { status: 200 })
  const error = /the redirect of alice\.example would lead back/
  t.match(await patch({ www: 'redirect' }), { status: 400, body: { error } })
  t.match(await patch({ name_redirects: null }), { status: 200 })
  t.match(await patch({ name_redirects: { 'WWW.Kept.example': { to } } }), {
    status: 200,
    body: { name_redirects: { 'www.kept.example': { to, code: 301, keeps_path: true } } },
  })
  const off = await patch({ www: 'off' })
  t.match(off, { status: 400, body: { error: /^www\.kept\.example has a redirect: remove/ } })
  t.equal(off.headers.get('x-panel-field'), 'www')
  const removed = await patch({ www: 'off', name_redirects: { 'www.kept.example': null } })
  t.match(removed, { status: 200, body: { www: 'off', name_redirects: {} } })
  t.match(await patch({ name_redirects: { 'www.kept.example': { to } } }), { status: 400 })
  const on = await patch({ www: null, name_redirects: { 'www.kept.example': { to } } })
  t.match(on, { status: 200, body: { www: 'serve' } })
  t.match(await patch({ aliases: [] }), { status: 200, body: { name_redirects: {} } })
})

t.test('policies that cannot be sent are refused', async t => {
  const refused: [csp: string, error: RegExp][] = [
    ["script-src 'nonce-abc'", /cannot take a nonce: it differs in each answer/],
    ['scrpt-src x', /no directive "scrpt-src"/],
    ["default-src 'self'; DEFAULT-SRC 'none'", /has default-src twice/],
    ["default-src 'selfish'", /takes 'self', 'none'/],
    ['default-src "x"', /takes 'self'/],
    ['default-src a\u0000b', /takes 'self'/],
    ['default-src $host', /takes 'self'/],
    ['default-src a!b', /takes 'self'/],
    ['sandbox everything', /sandbox takes words such as allow-scripts, not "everything"/],
    ['report-uri /csp', /report-uri takes addresses/],
    ['upgrade-insecure-requests yes', /has no value/],
    [';;', /must have a directive/],
    [`img-src ${'https://a.example '.repeat(60)}`, /too many addresses/],
    [`img-src ${'a.example '.repeat(160)}`, /at most 1500 characters/],
  ]
  for (const [csp, error] of refused) {
    t.match(await patch({ headers: { csp } }), { status: 400, body: { error } }, csp.slice(0, 50))
  }
  const csp = " Default-SRC  'self';\n img-src * data:; "
  t.match(await patch({ headers: { csp } }), {
    status: 200,
    body: { headers: { csp: "default-src 'self'; img-src * data:" } },
  })
  t.match(await patch({ headers: { csp: null } }), {
    status: 200,
    body: { headers: { csp: null } },
  })
})
