import { randomUUID } from 'node:crypto'
import t from 'tap'
import { z } from 'zod'
import { endpoints } from '../../src/api/routes.ts'
import { limits } from '../../src/model/sellers/package-limits.ts'
import { alice, openPanel, type CallOptions } from '../support/panel.ts'
import { exchange, toBytes, type Header } from '../support/api/exchange.ts'
import { shown } from '../support/api/refusals.ts'

// Requests as real callers send them, and requests that look alike and are invalid.

const panel = await openPanel(t)
const { pool } = panel
const json: Header = ['Content-Type', 'application/json']

/** As it is, without a client that puts paths and headers right. */
const send = (method: string, path: string, body?: string, ...headers: Header[]) =>
  exchange(
    panel.baseUrl,
    toBytes({
      ...{ method, path, body },
      headers: [
        ['Authorization', `Bearer ${panel.token}`],
        ...(headers.some(([name]) => name === 'Idempotency-Key')
          ? []
          : [['Idempotency-Key', randomUUID()] as Header]),
        ...headers,
      ],
    }),
  )
const call = (method: string, path: string, options?: CallOptions) =>
  panel.call(method, path, options)
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const key = (name: string): Header => ['Idempotency-Key', name]
const bob = JSON.stringify({ ...alice, username: 'bob', domain: null })

// Each first request is refused for how it was sent; the second has the same key and bytes.
const spoilt: [title: string, headers: Header[], error: string][] = [
  ['a form', [['Content-Type', 'application/x-www-form-urlencoded']], 'must be application/json'],
  ['plain text', [['Content-Type', 'text/plain;charset=UTF-8']], 'must be application/json'],
  ['nothing', [['Content-Type', '']], 'must be application/json'],
  ['two types', [json, json], 'exactly one Content-Type'],
  ['two others', [json, ['Content-Type', 'text/plain']], 'exactly one Content-Type'],
]

t.test('a request that was sent wrongly is done once it is sent correctly', async t => {
  for (const [title, headers, error] of spoilt) {
    const path = '/api/v1/accounts'
    for (const _ of [1, 2]) {
      const refused = await send('POST', path, bob, key(title), ...headers)
      t.equal(refused.status, 400, title)
      t.match(refused.body.error, error, title)
      t.equal(refused.headers.get('idempotent-replayed'), null, title)
    }
    const created = await send('POST', path, bob, key(title), json)
    t.match([created.status, created.headers.get('idempotent-replayed')], [201, null], title)
    // Any form of the right one is the same request; a wrong one is never answered with its answer.
    for (const right of [[json], [], [['Content-Type', 'application/json; charset=utf-8']]]) {
      const again = await send('POST', path, bob, key(title), ...(right as Header[]))
      t.match([again.status, again.headers.get('idempotent-replayed')], [201, 'true'], title)
      t.equal(again.text, created.text, title)
    }
    const wrong = await send('POST', path, bob, key(title), ...headers)
    t.match([wrong.status, wrong.headers.get('idempotent-replayed')], [400, null], title)
    t.equal((await send('DELETE', '/api/v1/accounts/bob')).status, 200, title)
  }
})

t.test('such a refusal leaves no record, and a running request is not touched', async t => {
  const count = async () =>
    (await pool.query('select count(*)::int as n from panel.operations')).rows[0].n
  const before = await count()
  await send('POST', '/api/v1/accounts', bob, ['Content-Type', 'text/plain'])
  t.equal(await count(), before)
})

t.test('a refusal by the rules is repeated, also where it no longer holds', async t => {
  const body = JSON.stringify({ ...alice, username: 'carol', domain: null, package: 'later' })
  const first = await send('POST', '/api/v1/accounts', body, key('decided'), json)
  t.match([first.status, first.headers.get('x-panel-reason')], [400, 'package_not_sold'])
  await call('PUT', '/api/v1/packages/later', { body: {} })
  const again = await send('POST', '/api/v1/accounts', body, key('decided'), json)
  t.equal(again.text, first.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.equal((await send('POST', '/api/v1/accounts', body, key('again'), json)).status, 201)
})

t.test('an empty array is an empty object', async t => {
  const calls: [method: string, path: string, status: number][] = [
    ['PUT', '/api/v1/packages/starter', 200],
    ['POST', '/api/v1/accounts/alice/suspend', 200],
    ['POST', '/api/v1/accounts/alice/unsuspend', 200],
    ['POST', '/api/v1/accounts/alice/login', 200],
  ]
  for (const [method, path, status] of calls) {
    for (const body of ['[]', ' [] ', '[\n]', ' [ ] ', ' { } ']) {
      t.equal((await send(method, path, body, json)).status, status, `${path} ${body}`)
      const form: Header = ['Content-Type', 'application/x-www-form-urlencoded']
      t.equal((await send(method, path, body, form)).status, status, `a form, ${path} ${body}`)
    }
    for (const body of ['[{}]', '[[]]', '[null]', '"[]"', '[', '[]]', '[],']) {
      t.equal((await send(method, path, body, json)).status, 400, `${path} ${body}`)
    }
  }
  const created = await send('POST', '/api/v1/accounts', '[]', json)
  t.match(created, { status: 400, body: { error: /^username is required/ } })
  const changed = await send('PUT', '/api/v1/accounts/alice/package', '[]', json)
  t.match(changed, { status: 400, body: { error: 'package is required' } })
  t.equal((await send('DELETE', '/api/v1/accounts/carol', '[]', json)).status, 200)
})

t.test('an empty text for an optional field is none', async t => {
  const body = { ...alice, username: 'dave', domain: '', reference: '' }
  const created = await call('POST', '/api/v1/accounts', { body })
  t.match(created, { status: 201, body: { domain: null, sites: [], reference: null } })
  const suspended = await call('POST', '/api/v1/accounts/dave/suspend', { body: { reason: '' } })
  t.match(suspended, { status: 200, body: { state: 'suspended', suspend_reason: null } })
  for (const field of ['username', 'password', 'email', 'package']) {
    const refused = await call('POST', '/api/v1/accounts', { body: { ...body, [field]: '' } })
    t.match(refused, { status: 400, body: { error: new RegExp(`^${field} `) } }, 'none is optional')
  }
  t.match(await call('POST', '/api/v1/accounts', { body: { ...body, domain: ' ' } }), {
    status: 400,
  })
})

t.test('null and an empty text count as left out for each optional field of each body', async t => {
  let optional = 0
  for (const { id, body } of endpoints) {
    const shape = body?.schema instanceof z.ZodObject ? body.schema.shape : {}
    for (const [name, schema] of Object.entries<z.ZodType>(shape)) {
      if (!schema.safeParse(undefined).success) continue
      optional++
      for (const sent of ['', null]) {
        const { success, data } = schema.safeParse(sent)
        t.strictSame([success, data], [true, null], `${id}, ${name}: ${shown(sent)}`)
      }
    }
  }
  t.ok(optional > 10)

  const path = '/api/v1/packages/blank'
  const set = { max_sites: 7, disk_mb: 7, memory_mb: 77, cpu_percent: 7, sftp: false }
  const { created_at, updated_at, ...kept } = (await call('PUT', path, { body: set })).body
  const fields = ['name', ...limits.map(({ name }) => name)]
  for (const sent of ['', null]) {
    const body = Object.fromEntries(fields.map(field => [field, sent]))
    t.match(await call('PUT', path, { body }), { status: 200, body: kept }, 'it keeps its values')
  }
  for (const body of [{ max_sites: ' ' }, { sftp: 'true' }, { sftp: 0 }, { disk_mb: '7' }]) {
    t.match(await call('PUT', path, { body }), { status: 400 }, shown(body))
  }
})

const reasons: [sent: string, kept: string | null][] = [
  ['Invoice 4711\nis overdue', 'Invoice 4711 is overdue'],
  ['Invoice 4711\r\nis overdue\r\n', 'Invoice 4711 is overdue'],
  ['a\tb', 'a b'],
  ['a \t\n\v\f\r  b', 'a b'],
  ['a\u0085b\u2028c\u2029d', 'a b c d'],
  ['two  spaces', 'two  spaces'],
  ['\n\n', null],
  [' ', null],
  [`${'x'.repeat(249)}\n${'y'.repeat(250)}\n\n\n`, `${'x'.repeat(249)} ${'y'.repeat(250)}`],
]

t.test('line breaks and tabs of a reason are spaces', async t => {
  for (const [reason, kept] of reasons) {
    const suspended = await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason } })
    t.match(suspended, { status: 200, body: { suspend_reason: kept } }, shown(reason))
    await call('POST', '/api/v1/accounts/alice/unsuspend')
  }
  for (const reason of ['a\0b', 'a\x1b[2Jb', '\x7f', `${'x'.repeat(250)}\n${'y'.repeat(250)}`]) {
    const refused = await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason } })
    t.match(refused, { status: 400, body: { error: /^reason must/ } }, shown(reason))
  }
  const began = performance.now()
  const reason = ' '.repeat(60_000)
  await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason } })
  await call('POST', '/api/v1/accounts/alice/unsuspend')
  t.ok(performance.now() - began < 5_000, 'no text takes long')
})

const bases = ['//api/v1', '/api//v1', '/api/v1/', '///api///v1//', '/api/v1///']

t.test('a base with doubled slashes is the same', async t => {
  for (const base of bases) {
    t.equal((await send('GET', `${base}/accounts?limit=1`)).status, 200, base)
    const suspended = await send('POST', `${base}/accounts/alice/suspend`, '{}', key(base), json)
    t.equal(suspended.status, 200, base)
    const again = await send('POST', '/api/v1/accounts/alice/suspend', '{}', key(base), json)
    t.equal(again.headers.get('idempotent-replayed'), 'true', 'and the same request')
    const anonymous = toBytes({ method: 'GET', path: `${base}/accounts` })
    t.equal((await exchange(panel.baseUrl, anonymous)).status, 401, base)
    t.equal((await send('PUT', `${base}/accounts`)).status, 405, base)
    t.equal((await send('GET', `${base}/nothing`)).status, 404, base)
  }
  const absolute = await send('GET', 'http://elsewhere.example//api//v1/accounts')
  t.equal(absolute.status, 200)
})

t.test('below it an empty name is none, and nothing else of the panel is reached', async t => {
  await call('POST', '/api/v1/accounts', { body: { ...alice, username: 'usage', domain: null } })
  const paths = [
    '/api/v1/accounts//usage',
    '//api/v1//accounts//usage',
    '/api/v1//accounts//',
    '//accounts',
    '//api/v1/../../accounts',
    '/api/v1//../v1/accounts',
    '/api//v1/%2e%2e/accounts',
    '/api/v1//..%2faccounts',
    '//evil.example/api/v1/accounts',
    '/api/v1%2f%2faccounts',
  ]
  for (const path of paths) {
    t.equal((await send('GET', path)).status, 404, path)
    t.equal((await send('DELETE', path)).status, 404, path)
  }
  t.equal((await call('GET', '/api/v1/accounts/usage')).status, 200, 'it is still there')
})
