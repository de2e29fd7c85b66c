import t from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { alice, openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'

// A seller's own name of an account: one account has it while it lives, and its seller finds it.

let failing: string | undefined
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (step === failing) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
const shop = await makeReseller(pool, 'shop')
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('PUT', '/api/v1/packages/starter', { body: {}, token: shop.token })

type Body = Record<string, unknown>
const create = (username: string, more: Body, token = panel.token) =>
  call('POST', '/api/v1/accounts', {
    body: { ...alice, username, domain: null, ...more },
    token,
  })

async function find(query: Record<string, string>, token = panel.token): Promise<unknown> {
  const { status, body } = await call('GET', `/api/v1/accounts?${new URLSearchParams(query)}`, {
    token,
  })
  if (status !== 200) return body.error
  t.equal(body.next, null)
  return body.accounts.map((one: { username: string; state: string }) => one.username)
}

const dataOf = async (username: string) => {
  const { rows } = await pool.query(
    `select name, data -> 'reference' as reference from panel.events
     where data ->> 'username' = $1 and name like 'account.%' order by id`,
    [username],
  )
  return rows.map(({ name, reference }) => [name, reference])
}

t.test('a reference is in the record, the list and the events, and finds the account', async t => {
  const created = await create('alice', { reference: 'order-1041', domain: 'alice.example' })
  t.match(created, { status: 201, body: { username: 'alice', reference: 'order-1041' } })
  const got = await call('GET', '/api/v1/accounts/alice')
  t.equal(got.text, created.text)
  t.strictSame(await find({ reference: 'order-1041' }), ['alice'])
  t.strictSame(await find({ reference: 'order-1041', state: 'active' }), ['alice'])
  t.strictSame(await find({ reference: 'order-1041', state: 'suspended' }), [])
  t.strictSame(await find({ reference: 'order-1041', state: 'terminated' }), [])
  await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: 'late' } })
  t.match(await call('POST', '/api/v1/accounts/alice/unsuspend'), {
    body: { reference: 'order-1041' },
  })
  t.strictSame(await dataOf('alice'), [
    ['account.created', 'order-1041'],
    ['account.suspended', 'order-1041'],
    ['account.unsuspended', 'order-1041'],
  ])
})

t.test('a reference in use is 400 with the name of its account, and changes nothing', async t => {
  const count = async () =>
    (await pool.query('select count(*)::int as n from panel.accounts')).rows[0].n
  const before = await count()
  // With the name and the domain of the first as well: a repeated create gets the holder's name.
  for (const [username, domain] of [
    ['bob', null],
    ['bob', 'alice.example'],
    ['alice', 'alice.example'],
  ] as const) {
    const refused = await create(username, { reference: 'order-1041', domain })
    t.match(refused, {
      status: 400,
      body: { error: 'reference order-1041 belongs to the account alice already' },
    })
    t.equal(refused.headers.get('x-panel-reason'), 'reference_taken')
  }
  t.equal(await count(), before)
})

t.test('null and an empty text are none, which any number of accounts have', async t => {
  for (const [index, reference] of [undefined, null, ''].entries()) {
    t.match(await create(`none${index}`, { reference }), {
      status: 201,
      body: { reference: null },
    })
  }
  t.strictSame(await dataOf('none2'), [['account.created', null]])
})

// Compared as they are: in their case, with their spaces, in their form of Unicode.
const accepted = [
  'A',
  'a',
  ' a',
  'a ',
  'x'.repeat(128),
  '🧾'.repeat(128),
  '4711/2 (Müller & Söhne) "é" %_\\\'; drop table panel.accounts; --',
  '\u00e9',
  'e\u0301',
  '0',
  'null',
]

t.test('a value that fits the grammar is kept as it is', async t => {
  for (const [index, reference] of accepted.entries()) {
    const created = await create(`kept${index}`, { reference })
    t.match(created, { status: 201, body: { reference } }, reference)
    t.strictSame(await find({ reference }), [`kept${index}`], reference)
  }
})

t.test('a value that does not fit it is 400, in a body and in a query', async t => {
  const long = 'must have at most 128 characters'
  const control = 'must not contain control or invisible characters'
  const texts: [reference: string, error: string][] = [
    ['x'.repeat(129), long],
    ['x'.repeat(60_000), long],
    ['🧾'.repeat(129), long],
    ...['a\0b', 'a\n', '\ta', 'a\x7f', 'a\x85'].map((text): [string, string] => [text, control]),
  ]
  for (const [reference, error] of texts) {
    const refused = await create('bad', { reference })
    t.match(refused, { status: 400, body: { error: `reference ${error}` } })
    // The line of a request has room for so much.
    if (reference.length < 10_000) t.equal(await find({ reference }), `reference ${error}`)
  }
  t.match(await create('bad', { reference: '\ud800' }), { status: 400 })
  for (const reference of [7, true, [], {}, ['order-1']]) {
    t.match(await create('bad', { reference }), {
      status: 400,
      body: { error: 'reference must be a string' },
    })
  }
  t.equal(await find({ reference: '' }), 'reference must not be empty', 'never all accounts')
  const alone = 'state terminated requires reference, and allows no after, email or domain'
  t.equal(await find({ state: 'terminated' }), alone)
  t.match(await find({ state: 'terminated', package: 'starter' }), alone)
  const others = { after: 'alice', email: 'other@example.com', domain: 'other.example' }
  for (const [field, text] of Object.entries(others)) {
    const query = { state: 'terminated', reference: 'order-1041', [field]: text }
    t.equal(await find(query), alone, field)
  }
  t.match(await find({ state: 'Terminated', reference: 'x' }), /^state must be/)
})

t.test('each seller has its own, and neither sees the other’s', async t => {
  const own = await create('shopped', { reference: 'order-1041' }, shop.token)
  t.match(own, { status: 201, body: { reference: 'order-1041' } })
  t.strictSame(await find({ reference: 'order-1041' }, shop.token), ['shopped'])
  t.strictSame(await find({ reference: 'order-1041' }), ['alice'], 'an administrator’s is its own')
  await create('shopped2', { reference: 'theirs' }, shop.token)
  t.strictSame(await find({ reference: 'theirs' }), [])
  await call('DELETE', '/api/v1/accounts/shopped2', { token: shop.token })
  const gone = { reference: 'theirs', state: 'terminated' }
  t.strictSame(await find(gone, shop.token), ['shopped2'])
  t.strictSame(await find(gone), [])
  const other = await makeReseller(pool, 'other')
  t.strictSame(await find(gone, other.token), [])
  t.strictSame(await find({ reference: 'order-1041' }, other.token), [])
})

t.test('one of several concurrent creates with different names gets the reference', async t => {
  const names = Array.from({ length: 8 }, (_, index) => `raced${index}`)
  const answers = await Promise.all(names.map(name => create(name, { reference: 'raced' })))
  const made = answers.filter(({ status }) => status === 201)
  t.equal(made.length, 1)
  const { username } = made[0]!.body
  for (const { status, body } of answers) {
    if (status === 201) continue
    t.strictSame(
      [status, body.error],
      [400, `reference raced belongs to the account ${username} already`],
    )
  }
  t.strictSame(await find({ reference: 'raced' }), [username])
})

t.test('a create that fails frees it, and is no account that was terminated', async t => {
  failing = stepsOf('active').at(-1)
  const failed = await create('failed', { reference: 'freed' })
  failing = undefined
  t.equal(failed.status, 500)
  t.strictSame(await find({ reference: 'freed' }), [])
  t.strictSame(await find({ reference: 'freed', state: 'terminated' }), [])
  t.match(await create('second', { reference: 'freed' }), { status: 201 })
})

t.test('a reference is free once its account is gone, and still finds that account', async t => {
  failing = stepsOf('terminated')[0]
  const answer = call('DELETE', '/api/v1/accounts/second', { key: 'terminate' })
  await until(async () => {
    const { rows } = await pool.query(
      `select from panel.operations where key = 'terminate' and error is not null`,
    )
    return rows.length > 0
  })
  t.match(await create('third', { reference: 'freed' }), {
    status: 400,
    body: { error: /the account second already/ },
  })
  t.strictSame(await find({ reference: 'freed' }), ['second'], 'while it is terminating')
  t.strictSame(await find({ reference: 'freed', state: 'terminated' }), [])
  failing = undefined
  t.match(await answer, { status: 200, body: { state: 'terminated', reference: 'freed' } })
  t.strictSame(await dataOf('second'), [
    ['account.created', 'freed'],
    ['account.deleted', 'freed'],
  ])

  t.strictSame(await find({ reference: 'freed' }), [])
  t.strictSame(await find({ reference: 'freed', state: 'terminated' }), ['second'])
  t.match(await create('third', { reference: 'freed' }), { status: 201 })
  await call('DELETE', '/api/v1/accounts/third')
  const gone = { reference: 'freed', state: 'terminated' }
  t.strictSame(await find(gone), ['third', 'second'], 'the last one first')
  t.strictSame(await find({ ...gone, limit: '1' }), ['third'])
  t.strictSame(await find({ ...gone, package: 'other' }), [])
})

t.test('SQL past the API cannot store a reference that does not fit', async t => {
  const { rows } = await pool.query(`
    select reference, panel.is_reference(reference) as is_one
    from unnest(array['a', 'ü ', E'a\\n', E'\\x7f', E'a\\u0085', '', repeat('x', 129)]) reference`)
  t.strictSame(
    rows.map(({ is_one }) => is_one),
    [true, true, false, false, false, false, false],
  )
})
