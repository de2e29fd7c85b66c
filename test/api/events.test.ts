import { createHmac } from 'node:crypto'
import t from 'tap'
import { endpoints } from '../../src/api/routes.ts'
import { Event } from '../../src/model/events/event-feed.ts'
import { emit, event } from '../../src/model/events/events.ts'
import { createToken, type Permission } from '../../src/model/signing-in/tokens.ts'
import { courierOn, webhookTo } from '../support/courier.ts'
import { alice, openPanel } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'

// GET /events and what sends them again, with a token for that alone.

const panel = await openPanel(t)
const { pool, call } = panel
const granted = ['Provisioning only', 'Provisioning and hosting']
const tokenOf = async (owner: string, permission: Permission = 'Read events') =>
  (await createToken(pool, { owner, name: permission, permission })).token

const sellers: Record<string, { provisioning: string; reading: string }> = {}
for (const name of ['bigshop', 'smallshop']) {
  const { token } = await makeReseller(pool, name)
  sellers[name] = { provisioning: token, reading: await tokenOf(name) }
}
const { bigshop, smallshop } = sellers as Record<'bigshop' | 'smallshop', (typeof sellers)[string]>
const reading = await tokenOf('admin')

type Shown = { event: string; data: Record<string, string>; sequence: number }
const get = async (query = '', token = reading) => call('GET', `/api/v1/events${query}`, { token })
const shown = async (query = '', token = reading): Promise<Shown[]> =>
  (await get(query, token)).body.events
const names = (events: Shown[]) => events.map(({ event, data }) => `${event} ${data['username']}`)
const redeliver = (body: object, token = reading, key?: string) =>
  call('POST', '/api/v1/events/redeliver', { token, body, ...(key === undefined ? {} : { key }) })
const counts = async (table: string): Promise<number> =>
  (await pool.query(`select count(*)::int as count from panel.${table}`)).rows[0].count

async function create(username: string, token: string) {
  await call('PUT', '/api/v1/packages/starter', { token, body: {} })
  const body = { ...alice, username, domain: undefined }
  t.equal((await call('POST', '/api/v1/accounts', { token, body })).status, 201)
}

t.test('events are listed in order, as they are sent', async t => {
  t.strictSame((await get()).body, { events: [], next: 0, has_more: false, complete: true })
  await create('house', panel.token)
  await create('large', bigshop.provisioning)
  await create('small', smallshop.provisioning)
  await call('POST', '/api/v1/accounts/large/suspend', {
    token: bigshop.provisioning,
    body: { reason: 'Ünpaid “4711”' },
  })
  const { body } = await get()
  t.strictSame(names(body.events), [
    'account.created house',
    'account.created large',
    'account.created small',
    'account.suspended large',
  ])
  t.match(body, { next: 4, has_more: false, complete: true })
  t.strictSame(
    body.events.map(({ sequence }: Shown) => sequence),
    [1, 2, 3, 4],
  )
  t.equal(body.events[3].data.reason, 'Ünpaid “4711”')
  for (const each of body.events) {
    t.equal(Event.safeParse(each).error, undefined)
    t.strictSame(Object.keys(each), ['event', 'time', 'server', 'data', 'sequence'])
  }
})

t.test('events are returned a page at a time', async t => {
  const pages = []
  let after = 0
  for (;;) {
    const { body } = await get(`?after=${after}&limit=1`)
    pages.push(names(body.events))
    t.equal(body.next, after + 1)
    after = body.next
    if (!body.has_more) break
  }
  t.strictSame(pages.flat(), names(await shown()))
  t.match((await get(`?after=${after}`)).body, { events: [], next: 4, has_more: false })
})

t.test('a reseller sees those of its own accounts and no others', async t => {
  t.strictSame(names(await shown('', bigshop.reading)), [
    'account.created large',
    'account.suspended large',
  ])
  t.strictSame(names(await shown('', smallshop.reading)), ['account.created small'])
  t.match((await get('?limit=1', bigshop.reading)).body, { next: 2, has_more: true })
  t.match((await get('?after=2&limit=1', bigshop.reading)).body, { next: 4, has_more: false })
  t.match((await get('?after=3', smallshop.reading)).body, { events: [], next: 4 })
  t.test('terminated accounts are included, a later namesake is not', async t => {
    await call('DELETE', '/api/v1/accounts/small', { token: smallshop.provisioning })
    await create('small', bigshop.provisioning)
    t.strictSame(names(await shown('', smallshop.reading)), [
      'account.created small',
      'account.deleted small',
    ])
    t.strictSame(names(await shown('?after=4', bigshop.reading)), ['account.created small'])
  })
  t.test('a reseller gets no event that belongs to no account', async t => {
    const about = { server: 'panel.test', time: new Date() }
    const backup = { kind: 'full', scope: 'server', bytes: 1, duration_ms: 1 }
    await emit(pool, event('backup.completed', backup, about))
    await emit(pool, event('database.created', { username: 'nobody', database: 'a' }, about))
    await emit(pool, event('database.created', { username: 'large', database: 'b' }, about))
    t.equal((await shown('?after=6')).length, 3)
    t.strictSame(names(await shown('?after=6', bigshop.reading)), ['database.created large'])
    t.strictSame(await shown('?after=6', smallshop.reading), [])
  })
  t.test('events are listed under the names of their time', async t => {
    // Nothing moves an account to another seller yet; what it then sees is what happens after.
    const move = (to: string) =>
      pool.query(
        `update panel.accounts a set seller_id = o.seller_id
         from panel.operators o where o.name = $1 and a.username = 'large'`,
        [to],
      )
    await move('smallshop')
    t.notMatch(names(await shown('', smallshop.reading)), /large/)
    t.match(`${names(await shown('', bigshop.reading))}`, /large/)
    await move('bigshop')
  })
})

t.test('a token reaches what it is for, and nothing else', async t => {
  for (const { method, path, permissions = granted } of endpoints) {
    const filled = `/api/v1${path.replaceAll(/\{\w+\}/g, 'large')}`
    for (const [permission, token] of [
      ['Provisioning only', panel.token],
      ['Provisioning and hosting', await tokenOf('admin', 'Provisioning and hosting')],
      ['Read events', reading],
      ['Provisioning only', bigshop.provisioning],
      ['Read events', bigshop.reading],
    ] as const) {
      if (permissions.includes(permission)) continue
      const before = await counts('operations')
      const { status, body, headers } = await call(method, filled, {
        token,
        ...(method === 'GET' ? {} : { body: {} }),
      })
      t.equal(status, 403, `${permission}: ${method} ${path}`)
      t.strictSame(body, { error: `This API token has only the permission “${permission}”` })
      t.equal(headers.get('x-panel-reason'), 'forbidden')
      t.match(headers.get('ratelimit-limit'), '1200')
      t.equal(await counts('operations'), before, 'and nothing is recorded of it')
    }
  }
})

t.test('an invalid or future cursor is refused', async t => {
  const last = (await get('?limit=1000')).body.next
  for (const [query, error] of [
    ['?after=-1', /^after must be at least 0$/],
    ['?after=1.5', /^after must be a whole number$/],
    ['?after=', /^after must be a whole number$/],
    ['?after=0x1', /^after must be a whole number$/],
    ['?after=1e3', /^after must be a whole number$/],
    ['?after=9007199254740992', /^after must be/],
    [`?after=${last + 1}`, new RegExp(`^after must be at most ${last}, the number of the last`)],
    ['?limit=0', /^limit must be at least 1$/],
    ['?limit=1001', /^limit must be at most 1000$/],
    ['?before=1', /^Unknown query parameter: before$/],
    ['?after=1&after=2', /^Sent more than once: after$/],
  ] as const) {
    const { status, body } = await get(query)
    t.equal(status, 400, query)
    t.match(body.error, error, query)
  }
  for (const [body, error] of [
    [{}, /^after is required$/],
    [{ after: -1 }, /^after must be at least 0$/],
    [{ after: '1' }, /^after must be a number$/],
    [{ after: 1.5 }, /^after must be a whole number$/],
    [{ after: last + 1 }, /^after must be at most/],
    [{ after: 2, until: 2 }, /^until must be above after$/],
    [{ after: 2, until: 1 }, /^until must be above after$/],
    [{ after: 0, until: 0 }, /^until must be at least 1$/],
    [{ after: 0, webhook: 'all' }, /^webhook must be a UUID$/],
    [{ after: 0, webhook: crypto.randomUUID() }, /^webhook: no webhook .* exists/],
    [{ after: 0, to: 1 }, /^Unknown field: to$/],
  ] as const) {
    const { status, body: answer } = await redeliver(body)
    t.equal(status, 400, JSON.stringify(body))
    t.match(answer.error, error, JSON.stringify(body))
  }
  t.equal(await counts('deliveries'), 0)
})

t.test('events are sent again to webhooks, once for each request', async t => {
  const receiver = await receiverFor(t)
  const courier = await courierOn(t, panel.databaseUrl)
  const secret = 'the secret of the first one'
  const { id: first } = await webhookTo(pool, `${receiver.url}/first`, [], secret)
  await webhookTo(pool, `${receiver.url}/deleted`, ['account.deleted'])
  const all = await shown()
  const came = (path: string) => receiver.received.filter(each => each.path === path)
  const made = await redeliver({ after: 0 }, reading, 'the same key')
  t.equal(made.status, 200)
  t.strictSame(made.body, {
    deliveries: all.length + 1,
    next: all.length,
    has_more: false,
    complete: true,
  })
  const repeated = await redeliver({ after: 0 }, reading, 'the same key')
  t.strictSame(repeated.body, made.body)
  t.equal(repeated.headers.get('idempotent-replayed'), 'true')
  await until(() => came('/first').length === all.length && came('/deleted').length === 1)
  t.strictSame(
    came('/first')
      .map(({ body }) => JSON.parse(`${body}`))
      .sort((one, other) => one.sequence - other.sequence),
    all,
  )
  for (const { body, headers } of came('/first')) {
    const hex = createHmac('sha256', secret).update(body).digest('hex')
    t.equal(headers['x-panel-signature'], `sha256=${hex}`)
  }
  await until(
    async () =>
      (await pool.query(`select from panel.deliveries where state = 'due'`)).rowCount === 0,
  )
  t.test('a part of them, to one webhook, with the same bytes and another id', async t => {
    const [before] = [came('/first')]
    t.match(await redeliver({ after: 1, until: 3, webhook: first }), {
      body: { deliveries: 2, next: 3, has_more: false },
    })
    await until(() => came('/first').length === before.length + 2)
    for (const { body, headers } of came('/first').slice(before.length)) {
      const same = before.find(each => each.body.equals(body))
      t.ok(same)
      t.not(headers['x-panel-delivery'], same?.headers['x-panel-delivery'])
    }
    t.equal(came('/deleted').length, 1)
    const { rows } = await pool.query(
      `select count(*)::int from panel.deliveries d where redelivery_of is not null`,
    )
    t.strictSame(rows, [{ count: 2 }], 'of those that were there')
  })
  t.test('a delivery that is due is not created twice', async t => {
    await courier.stop()
    t.match((await redeliver({ after: 0, webhook: first })).body, { deliveries: all.length })
    t.match((await redeliver({ after: 0, webhook: first })).body, { deliveries: 0 })
  })
  t.test('a reseller may not, and learns nothing about what exists', async t => {
    for (const webhook of [first, crypto.randomUUID()]) {
      const { status, body } = await redeliver({ after: 0, webhook }, bigshop.reading)
      t.strictSame([status, body], [403, { error: 'A reseller may not do this' }])
    }
  })
})

t.test('not more at once than a webhook can take', async t => {
  await pool.query('delete from panel.deliveries; update panel.webhooks set removed_at = now()')
  const { id } = await webhookTo(pool, 'https://hooks.example.com/one')
  const { id: other } = await webhookTo(pool, 'https://hooks.example.com/two')
  await pool.query(
    `select panel.emit('account.deleted', null, null, convert_to(format(
       '{"event":"account.deleted","time":1,"server":"a","data":{"username":"u%s"}}', n), 'UTF8'))
     from generate_series(1, 1200) n`,
  )
  await pool.query('delete from panel.deliveries')
  const total = (await get('?limit=1')).body.next - 1 + (await counts('events'))
  const one = await redeliver({ after: 0, webhook: id })
  t.match(one.body, { deliveries: 1000, next: 1000, has_more: true })
  // Empty texts and null are fields that are left out.
  const both = await redeliver({ after: 0, webhook: '', until: null })
  t.match(both.body, { deliveries: 500, next: 500, has_more: true }, 'whole events')
  const due = await redeliver({ after: both.body.next, webhook: other, until: '' })
  t.match(due.body, { deliveries: 700 + total - 1200, next: total, has_more: false })
  const refused = await redeliver({ after: 0, webhook: other }, reading, 'later')
  t.equal(refused.status, 429)
  t.match(refused.body, { error: /^More than 1000 deliveries are due/ })
  t.equal(refused.headers.get('retry-after'), '60')
  await pool.query('delete from panel.deliveries')
  const later = await redeliver({ after: 0, webhook: other }, reading, 'later')
  t.match(later.body, { deliveries: 1000 }, 'the refusal is not what a repeat gets')
})

t.test('an answer says where events are no longer kept', async t => {
  await pool.query('delete from panel.deliveries; delete from panel.hook_runs')
  await pool.query(
    `update panel.events set created_at = now() - interval '31 days' where sequence <= 3`,
  )
  await pool.query('select panel.purge(1000)')
  t.match((await get('?after=2&limit=1')).body, { complete: false, events: [{ sequence: 4 }] })
  t.match((await get('?after=3&limit=1')).body, { complete: true, events: [{ sequence: 4 }] })
  t.match((await redeliver({ after: 2, until: 4 })).body, { complete: false })
  t.match((await redeliver({ after: 3, until: 4 })).body, { complete: true })
})
