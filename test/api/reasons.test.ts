import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { file, withReasons } from '../../src/api/describe-reasons.ts'
import { statusByCode } from '../../src/errors.ts'
import { call as callAt, alice, openPanel, type Answer } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

// Why a request is refused, as programs read it: the sentences are for people.

const panel = await openPanel(t)
const { call, pool } = panel
const create = (fields: object, options: object = {}) =>
  call('POST', '/api/v1/accounts', { body: { ...alice, ...fields }, ...options })
const reasonOf = ({ status, headers }: Answer) => [status, headers.get('x-panel-reason')]
const fieldOf = ({ headers }: Answer) => headers.get('x-panel-field')

await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('PUT', '/api/v1/packages/bare', { body: { max_sites: 0 } })
await create({})

t.test('a taken, reserved or malformed value has a reason of its own', async t => {
  const domain = null
  appendFileSync(join(panel.root, 'etc/passwd'), 'machine:x:1000:1000::/home/machine:/bin/sh\n')
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'carol', domain, reference: 'order-7' },
  })
  const refused: [object, string, string | null][] = [
    [{ domain }, 'username_taken', 'username'],
    [{ username: 'machine', domain }, 'username_taken', 'username'],
    [{ username: 'postgres', domain }, 'username_reserved', 'username'],
    [{ username: 'Alice', domain }, 'invalid', 'username'],
    [{ username: 'postgres', email: 'missing', domain }, 'invalid', 'username'],
    [{ username: 'bob', domain, colour: 'red' }, 'invalid', null],
    [{ username: 'bob' }, 'domain_taken', 'domain'],
    [{ username: 'bob', domain: 'panel.test' }, 'domain_taken', 'domain'],
    [{ username: 'bob', domain: 'co.uk' }, 'invalid', 'domain'],
    [{ username: 'bob', domain, package: 'unheard' }, 'package_not_sold', 'package'],
    [{ username: 'bob', domain: 'bob.example', package: 'bare' }, 'too_many_sites', 'domain'],
    [{ username: 'bob', domain, reference: 'order-7' }, 'reference_taken', 'reference'],
  ]
  for (const [fields, reason, field] of refused) {
    const answer = await create(fields)
    t.strictSame(reasonOf(answer), [400, reason], JSON.stringify(fields))
    t.equal(fieldOf(answer), field, JSON.stringify(fields))
  }
})

t.test('values of several fields that cannot be had are refused together', async t => {
  const create = (body: object, key: string) =>
    call('POST', '/api/v1/accounts', { body: { ...alice, reference: 'order-7', ...body }, key })
  for (const key of ['first', 'first', 'another']) {
    const { body, ...answer } = await create({ username: 'carol' }, key)
    t.strictSame(reasonOf({ body, ...answer }), [400, 'reference_taken'])
    t.equal(fieldOf({ body, ...answer }), 'reference')
    t.strictSame(
      body.errors.map(({ field, reason }: { field: string; reason: string }) => [field, reason]),
      [
        ['reference', 'reference_taken'],
        ['username', 'username_taken'],
        ['domain', 'domain_taken'],
      ],
    )
    t.equal(body.error, body.errors.map(({ error }: { error: string }) => error).join('; '))
    t.match(body.error, /belongs to the account carol already; username carol is taken; domain /)
  }
  const own = await create({ domain: 'panel.test' }, 'own')
  t.match(own.body.errors, [{ field: 'domain' }, { field: 'reference' }, { field: 'username' }])
  t.strictSame(reasonOf(own), [400, 'domain_taken'])
  const alone = await create({ username: 'dora', domain: null }, 'alone')
  t.strictSame(Object.keys(alone.body), ['error'], 'one refusal is its sentence alone')
  const { rows } = await pool.query(`select from panel.accounts where username = 'dora'`)
  t.equal(rows.length, 0)
})

t.test('a repeat gets the reason again, from the request or the worker', async t => {
  const refused = { username: 'machine', domain: null }
  for (const [key, fields] of Object.entries({ decided: { domain: null }, worker: refused })) {
    const first = await create(fields, { key })
    const again = await create(fields, { key })
    t.equal(again.headers.get('idempotent-replayed'), 'true')
    t.strictSame(reasonOf(again), reasonOf(first))
    t.strictSame(reasonOf(again), [400, 'username_taken'], key)
    t.strictSame([fieldOf(first), fieldOf(again)], ['username', 'username'], key)
  }
  t.strictSame(reasonOf(await create({}, { key: 'decided' })), [400, 'idempotency_key_reused'])
})

t.test('a job shows the reason', async t => {
  const headers = { prefer: 'respond-async' }
  const accepted = await create({ username: 'machine', domain: null }, { headers })
  t.match(accepted, { status: 202, body: { reason: null, field: null } })
  for (;;) {
    const { body } = await call('GET', accepted.headers.get('location')!)
    if (body.finished_at === null) continue
    t.match(body, { status: 400, reason: 'username_taken', field: 'username', error: /taken/ })
    break
  }
})

t.test('a missing resource and a forbidden one have different reasons', async t => {
  const { token } = await makeReseller(pool, 'reseller', {
    ...{ max_accounts: 0, max_sites: 1, disk_mb: 9_999 },
    ...{ memory_mb: 9_999, cpu_percent: 900 },
  })
  const bob = { ...alice, username: 'bob', domain: null }
  await call('POST', '/api/v1/accounts/alice/suspend')
  await call('PUT', '/api/v1/packages/small', { token, body: {} })
  const asked: [string, string, string, object?][] = [
    ['GET', 'accounts/missing', 'account_unknown'],
    ['DELETE', 'accounts/Missing', 'account_unknown'],
    ['GET', 'packages/nothing', 'package_unknown'],
    ['GET', 'jobs/x', 'job_unknown'],
    ['GET', 'nothing', 'not_found'],
    ['POST', 'accounts/alice/login', 'account_not_active'],
    ['DELETE', 'packages/starter', 'package_in_use'],
    ['POST', 'packages', 'method_not_allowed'],
    ['GET', 'accounts', 'unauthenticated', { token: null }],
    ['POST', 'accounts', 'plan_exceeded', { token, body: { ...bob, package: 'small' } }],
  ]
  for (const [method, path, reason, options] of asked) {
    const answer = await call(method, `/api/v1/${path}`, options)
    t.equal(answer.headers.get('x-panel-reason'), reason, `${method} ${path}`)
    t.equal(answer.status, statusByCode[reason as keyof typeof statusByCode])
  }
  await pool.query('update panel.sellers set suspended_at = now() where not is_own')
  const refused = await callAt(`${panel.baseUrl}/api/v1/usage`, 'GET', { token })
  t.strictSame(reasonOf(refused), [403, 'reseller_suspended'])
})

t.test(
  'a plan is exceeded by a limit of the package, or by the package that is chosen',
  async t => {
    const plan = { max_accounts: 9, max_sites: 9, disk_mb: 1_000, memory_mb: 512, cpu_percent: 100 }
    const { token } = await makeReseller(pool, 'planned', plan)
    const put = (body: object) => call('PUT', '/api/v1/packages/plus', { token, body })
    for (const [field, max] of Object.entries(plan).slice(1)) {
      const refused = await put({ disk_mb: 900, [field]: max + 1 })
      t.strictSame([...reasonOf(refused), fieldOf(refused)], [403, 'plan_exceeded', field])
      t.match(refused.body.error, new RegExp(`^Your plan allows ${max}\\b`))
    }
    await put({ disk_mb: 600 })
    const body = { ...alice, package: 'plus', domain: null }
    const make = (username: string) =>
      call('POST', '/api/v1/accounts', { token, body: { ...body, username } })
    t.equal((await make('dora')).status, 201)
    const refused = await make('emma')
    t.strictSame([...reasonOf(refused), fieldOf(refused)], [403, 'plan_exceeded', 'package'])
  },
)

t.test('a success has no reason', async t => {
  t.equal((await call('GET', '/api/v1/usage')).headers.get('x-panel-reason'), null)
  t.equal((await call('PUT', '/api/v1/packages/new')).headers.get('x-panel-reason'), null)
})

t.test('the reference names each of them, with its status', async t => {
  const path = join(import.meta.dirname, '../..', file)
  const page = await readFile(path, 'utf8')
  t.equal(page, withReasons(page), 'run `npm run describe`')
  for (const [reason, status] of Object.entries(statusByCode)) {
    t.match(page, new RegExp(`^\\| ${status} +\\| \`${reason}\` +\\| \\w`, 'm'), reason)
  }
})
