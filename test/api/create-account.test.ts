import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { untilIdle } from '../support/api/refusals.ts'

const panel = await openPanel(t)
const { call, pool } = panel

await call('PUT', '/api/v1/packages/starter', { body: {} })

t.test('makes the account, its website and their events, and answers 201', async t => {
  const created = await call('POST', '/api/v1/accounts', { key: 'create-1', body: alice })
  t.equal(created.status, 201)
  t.equal(created.headers.get('location'), '/api/v1/accounts/alice')
  t.equal(created.headers.get('idempotent-replayed'), null)
  t.match(created.body, {
    username: 'alice',
    email: 'alice@example.com',
    package: 'starter',
    state: 'active',
    domain: 'alice.example',
    sites: [{ domain: 'alice.example', ssl: 'none' }],
    suspend_reason: null,
    warnings: [],
    suspended_at: null,
  })
  t.strictSame(Object.keys(created.body), [
    'username',
    'email',
    'package',
    'reference',
    'seller',
    'state',
    'domain',
    'sites',
    'suspend_reason',
    'suspended_by',
    'warnings',
    'created_at',
    'suspended_at',
  ])
  const { rows } = await pool.query('select name, data from panel.events order by id')
  t.strictSame(rows, [
    {
      name: 'account.created',
      data: {
        username: 'alice',
        email: 'alice@example.com',
        package: 'starter',
        domain: 'alice.example',
        reference: null,
      },
    },
    { name: 'site.created', data: { username: 'alice', domain: 'alice.example' } },
  ])
})

t.test('replays the answer byte for byte and does no work', async t => {
  const before = await eventsAndUsers()
  const first = await call('GET', '/api/v1/accounts/alice')
  const again = await call('POST', '/api/v1/accounts', { key: 'create-1', body: alice })
  t.equal(again.status, 201)
  t.equal(again.text, first.text)
  t.equal(again.headers.get('location'), '/api/v1/accounts/alice')
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  t.strictSame(await eventsAndUsers(), before)
})

t.test('refuses another body under the same key, and keeps the first answer', async t => {
  const body = { ...alice, email: 'other@example.com' }
  const other = await call('POST', '/api/v1/accounts', { key: 'create-1', body })
  t.equal(other.status, 400)
  const again = await call('POST', '/api/v1/accounts', { key: 'create-1', body: alice })
  t.equal(again.status, 201)
})

t.test('twenty at once on a new key make one account', async t => {
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('POST', '/api/v1/accounts', { key: 'create-2', body })),
  )
  const fresh = answers.filter(
    answer => answer.status === 201 && answer.headers.get('idempotent-replayed') === null,
  )
  t.equal(fresh.length, 1)
  for (const answer of answers) {
    if (answer.status === 409) t.equal(answer.headers.get('retry-after'), '1')
    else t.equal(answer.text, fresh[0]?.text)
  }
  const { rows } = await pool.query(
    `select count(*)::int as n from panel.accounts where username = 'bob'`,
  )
  t.equal(rows[0].n, 1)
})

t.test('a taken username or domain is 400 and leaves nothing', async t => {
  // An answered operation's job may still be there.
  await untilIdle(panel)
  const before = await rowCounts()
  const name = await call('POST', '/api/v1/accounts', { body: { ...alice, domain: 'new.example' } })
  t.equal(name.status, 400)
  t.match(name.body.error, /username/)
  const site = await call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'carol', domain: 'www.Alice.example' },
  })
  t.equal(site.status, 400)
  t.match(site.body.error, /domain/)
  t.strictSame(await rowCounts(), before)
})

t.test('without a domain there is no website', async t => {
  const { domain: _, ...body } = { ...alice, username: 'dave' }
  const created = await call('POST', '/api/v1/accounts', { body })
  t.equal(created.status, 201)
  t.match(created.body, { domain: null, sites: [] })
})

t.test('a password is nowhere in clear, neither in the database nor on the machine', async t => {
  const { rows } = await pool.query(
    `select o::text from panel.operations o union all select a::text from panel.accounts a
     union all select j::text from worker_queue._private_jobs j
     union all select e::text from panel.events e`,
  )
  t.ok(rows.length > 5)
  t.notMatch(JSON.stringify(rows), /correct horse/)
  t.notMatch(await readFile(join(panel.root, 'etc/shadow'), 'utf8'), /correct horse/)
})

async function eventsAndUsers() {
  const { rows } = await pool.query('select count(*)::int as n from panel.events')
  return { events: rows[0].n, passwd: await readFile(join(panel.root, 'etc/passwd'), 'utf8') }
}

async function rowCounts() {
  const { rows } = await pool.query(
    `select (select count(*)::int from panel.accounts) as accounts,
       (select count(*)::int from panel.sites) as sites,
       (select count(*)::int from panel.site_names) as names,
       (select count(*)::int from panel.events) as events,
       (select count(*)::int from worker_queue._private_jobs) as jobs`,
  )
  return rows[0]
}
