import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { endpoints as allEndpoints } from '../../src/api/routes.ts'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { setSuspended } from '../../src/model/sellers/resellers.ts'
import { openPanel, type Answer, type CallOptions } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

// For every operation of the table: a reseller can see, change, count and infer nothing of another
// seller's. A new operation without a case here fails this test.

// The endpoints that a token for provisioning reaches; events.test.ts has the others.
const endpoints = allEndpoints.filter(
  ({ permissions }) => permissions?.includes('Provisioning only') ?? true,
)
const panel = await openPanel(t)
const { pool } = panel
const otherReseller = await makeReseller(pool, 'bigshop')
const seller = await makeReseller(pool, 'smallshop')

/** The names in a request. All have one length, because answers may differ only in them. */
type Names = { username: string; name: string; id: string }

const own = await begin('owner', otherReseller.token)
const lists = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
const seenAlone = await seenBy(otherReseller.token)
const theirs = await begin('small', seller.token)
const house = await begin('house', panel.token)
const missing = { username: 'ghost-account', name: 'ghost-package', id: randomUUID() }

type Ask = (names: Names, body?: unknown) => Promise<Answer>
type Case = {
  /** The body that would succeed for the owner. */
  body?: (names: Names) => object
  otherTokenGets: (t: Test, ask: Ask, operation: Endpoint) => Promise<void>
}

const change = ({ name }: Names) => ({ package: name })

const cases: Record<string, Case> = {
  listPackages: { otherTokenGets: theSameList },
  getPackage: { otherTokenGets: notFound },
  putPackage: { otherTokenGets: oneOfItsOwn },
  deletePackage: { otherTokenGets: notFound },
  listAccounts: { otherTokenGets: theSameList },
  createAccount: { otherTokenGets: noWayToIt, body: creation },
  getAccount: { otherTokenGets: notFound },
  terminateAccount: { otherTokenGets: notFound },
  signOn: { otherTokenGets: notFound },
  suspendAccount: { otherTokenGets: notFound },
  unsuspendAccount: { otherTokenGets: notFound },
  changePackage: { otherTokenGets: noPackageOfTheirs, body: change },
  setPassword: { otherTokenGets: notFound, body: () => ({ password: 'another horse' }) },
  changeAccount: { otherTokenGets: notFound, body: () => ({ email: 'new@example.com' }) },
  getUsage: { otherTokenGets: notFound },
  listUsage: { otherTokenGets: theSameList },
  listAccountJobs: { otherTokenGets: notFound },
  getJob: { otherTokenGets: notFound },
  getToken: { otherTokenGets: theSameList },
}

t.test('other resellers’ things do not exist for a reseller', async t => {
  const before = await all()
  for (const operation of endpoints) {
    await t.test(operation.id, async t => {
      const found = cases[operation.id]
      const ask: Ask = (names, body) => send(operation, names, otherReseller.token, { body })
      t.ok(found, 'the operation has its case')
      await found?.otherTokenGets(t, ask, operation)
    })
  }
  t.strictSame(await all(), before, 'and nothing of it has changed')
})

t.test('callers that are looked up together are not mixed up', async t => {
  const tokens = Array.from({ length: 60 }, (_, n) => [otherReseller, seller][n % 2]!.token)
  const path = `/api/v1/accounts/${theirs.username}`
  const answers = await Promise.all(tokens.map(token => panel.call('GET', path, { token })))
  t.strictSame(
    answers.map(({ status }) => status),
    tokens.map(token => (token === seller.token ? 200 : 404)),
  )
})

t.test('a key of another token is another key', async t => {
  const path = `/api/v1/accounts/${theirs.username}/unsuspend`
  const by = (token: string) => panel.call('POST', path, { token, key: 'the same' })
  t.equal((await by(seller.token)).status, 200)
  const foreign = await by(otherReseller.token)
  t.equal(foreign.status, 404)
  t.equal(foreign.headers.get('idempotent-replayed'), null)
  t.equal((await by(seller.token)).headers.get('idempotent-replayed'), 'true')
})

t.test('a request is followed by the token that made it alone, not by its owner', async t => {
  const { token } = await createToken(pool, { owner: 'smallshop', name: 'another' })
  const path = `/api/v1/jobs/${theirs.id}`
  t.equal((await panel.call('GET', path, { token })).status, 404)
  t.equal((await panel.call('GET', path)).status, 404)
  t.equal((await panel.call('GET', path, { token: seller.token })).status, 200)
})

t.test('an administrator sees every account, and offers the server’s own catalogue', async t => {
  const { body } = await panel.call('GET', '/api/v1/accounts')
  const usernames = body.accounts.map((account: { username: string }) => account.username)
  t.strictSame(usernames, [house, own, theirs].map(({ username }) => username).sort())
  for (const operation of inOrder().filter(({ path }) => path.includes('{username}'))) {
    const names = operation.id === 'terminateAccount' ? own : theirs
    t.ok(succeeds(operation, await send(operation, names, panel.token)), operation.id)
  }
  for (const { username } of [theirs, house]) {
    const put = (name: string) =>
      panel.call('PUT', `/api/v1/accounts/${username}/package`, { body: { package: name } })
    t.equal((await put(theirs.name)).status, username === theirs.username ? 200 : 400)
    t.equal((await put(house.name)).status, username === house.username ? 200 : 400)
  }
  t.equal((await panel.call('GET', `/api/v1/packages/${theirs.name}`)).status, 404)
})

t.test('a suspended reseller is refused everything, and gets in again afterwards', async t => {
  const spare = 'spare-package'
  await panel.call('PUT', `/api/v1/packages/${spare}`, { token: seller.token })
  for (const operation of inOrder()) {
    const names = operation.id === 'deletePackage' ? { ...theirs, name: spare } : theirs
    const key = randomUUID()
    await setSuspended(pool, 'smallshop', true)
    const refused = await send(operation, names, seller.token, { key })
    t.equal(refused.status, 403, operation.id)
    t.strictSame(refused.body, { error: 'The reseller of this API token is suspended' })
    await setSuspended(pool, 'smallshop', false)
    const done = await send(operation, names, seller.token, { key })
    t.ok(succeeds(operation, done), `${operation.id} ${done.status} ${done.text}`)
    t.equal(done.headers.get('idempotent-replayed'), null, 'the refusal was not recorded')
  }
  t.equal((await panel.call('GET', '/api/v1/packages')).status, 200, 'others are not concerned')
})

t.test('a reseller lifts its own suspensions, but not an administrator’s', async t => {
  const body = { ...creation(theirs), username: 'anna' }
  await panel.call('POST', '/api/v1/accounts', { token: seller.token, body })
  const ask = (verb: string, token: string) =>
    panel.call('POST', `/api/v1/accounts/anna/${verb}`, { token })
  await ask('suspend', seller.token)
  t.equal((await ask('unsuspend', seller.token)).status, 200)
  await ask('suspend', panel.token)
  t.equal((await ask('suspend', seller.token)).status, 200, 'which does not make it its own')
  const refused = await ask('unsuspend', seller.token)
  t.equal(refused.status, 403)
  t.match(refused.body, { error: /administrator/ })
  t.match(await panel.call('GET', '/api/v1/accounts/anna'), { body: { state: 'suspended' } })
  t.equal((await ask('unsuspend', panel.token)).status, 200)
})

async function notFound(t: Test, ask: Ask, { id }: Endpoint) {
  const unknown = await ask(missing, cases[id]?.body?.(own))
  t.equal(unknown.status, 404)
  for (const names of [theirs, house]) {
    const answer = await ask(names, cases[id]?.body?.(own))
    t.strictSame(withoutNames(answer), withoutNames(unknown), names.name)
  }
}

async function theSameList(t: Test, _ask: Ask, { path }: Endpoint) {
  const seen = await seenBy(otherReseller.token)
  const mine = Object.entries(seen).filter(([url]) => url.split('?')[0] === `/api/v1${path}`)
  t.ok(mine.length > 0)
  for (const [url, text] of mine) {
    t.equal(text, seenAlone[url], url)
    t.notMatch(text, /small-|house-/, url)
  }
}

async function oneOfItsOwn(t: Test, ask: Ask) {
  for (const names of [theirs, house]) {
    t.equal((await ask(names, { disk_mb: 1 })).status, 201)
    const path = `/api/v1/packages/${names.name}`
    t.match(await panel.call('DELETE', path, { token: otherReseller.token }), {
      body: { disk_mb: 1 },
    })
  }
}

async function noWayToIt(t: Test, ask: Ask) {
  const unavailable = await ask(missing, creation(missing))
  t.equal(unavailable.status, 400)
  // A taken name is refused with one sentence, for one's own and for those of others.
  const desired = { ...creation(own), domain: 'free.example' }
  const mine = await ask(own, { ...desired, username: own.username })
  const site = await ask(own, { ...desired, domain: `${own.username}.example` })
  t.strictSame([mine.status, site.status], [400, 400])
  for (const names of [theirs, house]) {
    const foreign = await ask(names, creation(names))
    t.strictSame(withoutNames(foreign), withoutNames(unavailable), 'package')
    const taken = await ask(names, { ...desired, username: names.username })
    t.strictSame(withoutNames(taken), withoutNames(mine), 'username')
    const served = await ask(names, { ...desired, domain: `${names.username}.example` })
    t.strictSame(withoutNames(served), withoutNames(site), 'domain')
  }
}

async function noPackageOfTheirs(t: Test, ask: Ask, operation: Endpoint) {
  await notFound(t, ask, operation)
  const unavailable = await ask(own, change(missing))
  t.equal(unavailable.status, 400)
  for (const names of [theirs, house]) {
    const foreign = await ask(own, change(names))
    t.strictSame(withoutNames(foreign), withoutNames(unavailable), names.name)
  }
}

function creation({ username, name }: Names) {
  return {
    username: `${username}-2`,
    password: 'correct horse battery',
    email: 'someone@example.com',
    package: name,
  }
}

/** A package and an account on it; the job is that of the account's creation. */
async function begin(prefix: string, token: string): Promise<Names> {
  const names = { username: `${prefix}-account`, name: `${prefix}-package` }
  await panel.call('PUT', `/api/v1/packages/${names.name}`, { token, body: { max_sites: 2 } })
  const body = {
    ...creation({ ...names, id: '' }),
    username: names.username,
    domain: `${names.username}.example`,
  }
  const created = await panel.call('POST', '/api/v1/accounts', { token, body, key: prefix })
  if (created.status !== 201) throw new Error(created.text)
  const { rows } = await pool.query('select id from panel.operations where key = $1', [prefix])
  return { ...names, id: rows[0].id }
}

function send(operation: Endpoint, names: Names, token: string, options: CallOptions = {}) {
  const { method, path, id } = operation
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => names[name as keyof Names])
  const body = options.body ?? cases[id]?.body?.(names)
  return panel.call(method, `/api/v1${filled}`, { ...options, token, body })
}

/** All lists, whole and filtered. */
async function seenBy(token: string): Promise<Record<string, string>> {
  const filters = ['limit=1', 'state=active', 'after=ghost-account', 'after=house-account']
  filters.push(...['owner', 'small', 'house'].map(prefix => `package=${prefix}-package`))
  const urls = lists.flatMap(({ path, query }) => [
    `/api/v1${path}`,
    ...(query ? filters.map(filter => `/api/v1${path}?${filter}`) : []),
  ])
  const seen = urls.map(async url => [url, (await panel.call('GET', url, { token })).text])
  return Object.fromEntries(await Promise.all(seen))
}

/** Everything that the two others have, with the transactions that wrote it. */
async function all() {
  const { rows } = await pool.query(
    `select a.xmin::text || a.id || p.xmin || p.id as written, panel.account_record(a.id),
       (select count(*)::int from panel.operations o where o.account_id = a.id) as operations
     from panel.accounts a join panel.packages p on p.id = a.package_id
     where a.username = any ($1) order by a.id`,
    [[theirs.username, house.username]],
  )
  return rows
}

/** Requests that end an account, or a package, come last. */
function inOrder(): Endpoint[] {
  const isEnd = ({ id }: Endpoint) => (/^(terminate|delete)/.test(id) ? 1 : 0)
  return endpoints.toSorted((one, other) => isEnd(one) - isEnd(other))
}

const succeeds = ({ answers }: Endpoint, { status }: Answer) => status in answers

/** An answer byte for byte, without the names that were sent and what differs in every answer. */
function withoutNames({ status, headers, text }: Answer) {
  const kept = [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit-.*)$/.test(name))
  return { status, kept, text: text.replace(/\b(owner|small|house|ghost)-/g, '*****-') }
}
