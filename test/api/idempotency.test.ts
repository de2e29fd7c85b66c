import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openApi } from '../../src/api/app.ts'
import { endpoints } from '../../src/api/routes.ts'
import { vendorKey } from '../../src/model/server/license.ts'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { setPlan } from '../../src/model/sellers/resellers.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openGate } from '../support/gate.ts'
import { call, openPanel, surroundings, type Answer, type Panel } from '../support/panel.ts'
import { startApi } from '../support/api/api-process.ts'
import { exchange, toBytes } from '../support/api/exchange.ts'
import { readState, untilIdle } from '../support/api/refusals.ts'
import { endRefusals, prepareWrites, writes, type Request } from '../support/api/writes.ts'

// The table of Idempotency (docs/reference/idempotency.md), row by row, for every POST, PUT and
// DELETE. The caller is a reseller, so that every refusal of a token can be staged.

let failures = 0
const gate = openGate(() => failures-- > 0)
const house = await openPanel(t, { observe: gate.observe })
const { pool } = house
const panel = await asReseller(house)
await prepareWrites(panel)

const ids = Object.keys(writes)
const works = ids.filter(id => writes[id]!.isWork)
const keys = ids.map(keyOf)
const here = panel.baseUrl
const startElsewhere = () => startApi(t, panel.databaseUrl)
let elsewhere = await startElsewhere()

t.test('every POST, PUT and DELETE has its place in the table', async t => {
  // Requests that need a token of another permission are repeated in events.test.ts.
  const isHere = ({ method, permissions }: (typeof endpoints)[number]) =>
    method !== 'GET' && (permissions?.includes('Provisioning only') ?? true)
  const served = endpoints.filter(isHere).map(({ id }) => id)
  t.strictSame(ids.sort(), served.sort())
})

const staged: [title: string, status: number, begin: string, end: string][] = [
  ['a revoked token', 401, 'tokens set revoked_at = now()', 'tokens set revoked_at = null'],
  ['another address', 403, `tokens set allowed = '{192.0.2.0/24}'`, 'tokens set allowed = null'],
  ['a suspended reseller', 403, suspended('now()'), suspended('null')],
]

t.test('a request that is refused before its decision is not recorded', async t => {
  for (const [title, status, begin, end] of staged) {
    await pool.query(`update panel.${begin}`)
    await storesNothing(t, title, status, id => send(here, writes[id]!.request, keyOf(id)))
    await pool.query(`update panel.${end}`)
  }
  const body = 'x'.repeat(65_537)
  await storesNothing(t, 'a body too large', 413, id =>
    send(here, { ...writes[id]!.request, body }, keyOf(id)),
  )
  const unlicensed = await openUnlicensed(t)
  const sendThere = (id: string) => send(unlicensed, writes[id]!.request, keyOf(id))
  await storesNothing(t, 'no license', 403, sendThere)
  await pool.query('update panel.request_windows set used = 1200')
  await storesNothing(t, 'too many requests', 429, sendThere)
  await pool.query('delete from panel.request_windows')
})

t.test('a failure at the end of the transaction is not recorded and changes nothing', async t => {
  const functions = 'function panel.begin_operation, panel.answer_operation'
  await pool.query(`revoke execute on ${functions} from panel_api`)
  await storesNothing(t, 'denied', 500, id => send(here, writes[id]!.request, keyOf(id)))
  await pool.query(`grant execute on ${functions} to panel_api`)
})

t.test('work that ends in 5xx is not recorded', async t => {
  for (const id of works.filter(each => !writes[each]!.isForwardOnly)) {
    failures = 1
    const failed = await send(here, spoilt(writes[id]!.request), keyOf(id))
    t.equal(failed.status, 500, id)
    const { records } = await readState(panel, [keyOf(id)])
    t.match(records[keyOf(id)], { state: 'failed', status: null, body: null }, id)
  }
})

let first: Record<string, Answer> = {}

t.test('one of two repeats through two processes runs, as new, after all of that', async t => {
  gate.close()
  const pairs = Object.fromEntries(
    ids.map(id => [
      id,
      [here, elsewhere.baseUrl].map(url => send(url, writes[id]!.request, keyOf(id))),
    ]),
  )
  for (const id of works) {
    const busy = await Promise.race(pairs[id]!)
    t.match(seen(busy), { status: 409, isReplay: false }, id)
    t.equal(busy.headers.get('retry-after'), '1', id)
    const other = await send(elsewhere.baseUrl, spoilt(writes[id]!.request), keyOf(id))
    t.match(seen(other), { status: 400, isReplay: false }, id)
  }
  gate.open()
  for (const id of ids) {
    const { isWork, status, location = null } = writes[id]!
    const answers = await Promise.all(pairs[id]!)
    const [done, ...others] = answers.filter(answer => seen(answer).status === status)
    first[id] = done!
    t.strictSame(seen(done!), { ...seen(done!), status, location }, id)
    if (isWork) t.equal(others.length, 0, id)
    else t.strictSame(answers.map(answer => seen(answer).isReplay).sort(), [false, true], id)
    if (!isWork) t.equal(others[0]?.text, done?.text, id)
  }
})

t.test('a repeat gets status, body and Location again, and nothing is done', async t => {
  await repeats(t, 'the same process', here)
  await repeats(t, 'another process', elsewhere.baseUrl)
  elsewhere.child.kill('SIGTERM')
  await elsewhere.exited
  elsewhere = await startElsewhere()
  await repeats(t, 'a process started since', elsewhere.baseUrl)
})

t.test('another method, path or body is 400, and the first answer stays', async t => {
  const others: [title: string, other: (id: string) => Request][] = [
    ['the next one of the table', id => writes[ids[(ids.indexOf(id) + 1) % ids.length]!]!.request],
    ['another path', id => ({ ...writes[id]!.request, path: `${writes[id]!.request.path}?x` })],
    ['another body', id => spoilt(writes[id]!.request)],
    ['what would be refused anyway', id => writes[id]!.refused.request],
  ]
  for (const [title, other] of others) {
    await changesNothing(t, title, async () => {
      for (const [id, answer] of await all(each => send(here, other(each), keyOf(each)))) {
        t.match(seen(answer), { status: 400, isReplay: false }, `${id}: ${title}`)
        t.match(answer.body, { error: /Idempotency-Key/ }, `${id}: ${title}`)
      }
    })
  }
  const emptied = { path: '/packages/unused', body: {} }
  t.equal((await send(here, { method: 'PUT', ...emptied }, 'method')).status, 201)
  t.match(await send(here, { method: 'DELETE', ...emptied }, 'method'), { status: 400 })
  await send(here, { method: 'DELETE', ...emptied }, 'and away')
  await repeats(t, 'after all of that', here)
})

t.test('requests without a key are never the same', async t => {
  const headers = [['Authorization', `Bearer ${panel.token}`]] as const
  const bytes = toBytes({ method: 'PUT', path: '/api/v1/packages/unkeyed', headers: [...headers] })
  const answers = [await exchange(here, bytes), await exchange(here, bytes)]
  t.strictSame(
    answers.map(({ status }) => status),
    [201, 200],
  )
  t.strictSame(
    answers.map(answer => seen(answer).isReplay),
    [false, false],
  )
})

t.test('a refusal is recorded, and repeated when its reason is gone', async t => {
  const refuse = (url: string) => all(id => send(url, writes[id]!.refused.request, `refused ${id}`))
  const refused = new Map(await refuse(here))
  for (const [id, answer] of refused) {
    t.match(seen(answer), { status: writes[id]!.refused.status, isReplay: false }, id)
  }
  await endRefusals(panel)
  for (const url of [here, elsewhere.baseUrl]) {
    for (const [id, answer] of await refuse(url)) {
      t.strictSame(seen(answer), { ...seen(refused.get(id)!), isReplay: true }, id)
    }
  }
})

t.test('24 hours after it arrived a key is new', async t => {
  await age(`interval '23:59:00'`)
  await repeats(t, 'a minute early', elsewhere.baseUrl)
  await age(`interval '00:01:00'`)
  const late = await all(id => send(elsewhere.baseUrl, writes[id]!.request, keyOf(id)))
  for (const [id, answer] of late) {
    t.match(seen(answer), { status: writes[id]!.again, isReplay: false }, id)
  }
  const link = late.find(([id]) => id === 'signOn')![1]
  t.not(link.text, first['signOn']!.text, 'another link')
  const again = await all(id => send(here, writes[id]!.request, keyOf(id)))
  for (const [id, answer] of again) {
    const [, recorded] = late.find(([each]) => each === id)!
    t.strictSame(seen(answer), { ...seen(recorded), isReplay: true }, `${id}: recorded again`)
  }
})

async function asReseller(house: Panel): Promise<Panel> {
  const about = { name: 'reseller', email: 'reseller@example.com', password: 'of the test, too' }
  await addOperator(pool, { ...about, role: 'reseller' })
  const sites = { max_accounts: 99, max_sites: 99, disk_mb: 1_000_000 }
  await setPlan(pool, 'reseller', { ...sites, memory_mb: 9_999, cpu_percent: 900 })
  const { token } = await createToken(pool, { owner: 'reseller', name: 'test' })
  const asked: Panel['call'] = (method, path, options) =>
    house.call(method, path, { token, ...options })
  return { ...house, token, call: asked }
}

async function openUnlicensed(t: Test): Promise<string> {
  const license = { file: `${panel.root}/no-license`, key: vendorKey, isDevelopment: false }
  const { databaseUrl, baseUrl } = panel
  const api = await openApi({ databaseUrl, baseUrl, license, ...surroundings })
  t.teardown(api.stop)
  await once(api.server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`
}

const send = (baseUrl: string, sent: Omit<Request, 'body'> & { body?: unknown }, key: string) =>
  call(`${baseUrl}/api/v1${sent.path}`, sent.method, {
    key,
    token: panel.token,
    ...(sent.body === undefined ? {} : { body: sent.body }),
  })

const all = (ask: (id: string) => Promise<Answer>): Promise<[id: string, answer: Answer][]> =>
  Promise.all(ids.map(async id => [id, await ask(id)]))

/** Sends requests that are refused without a record or any other change. */
async function storesNothing(
  t: Test,
  title: string,
  status: number,
  ask: (id: string) => Promise<Answer>,
): Promise<void> {
  await changesNothing(t, title, async () => {
    for (const [id, answer] of await all(ask)) t.equal(answer.status, status, `${id}: ${title}`)
  })
  t.strictSame((await readState(panel, keys)).records, {}, `${title} is not recorded`)
}

async function changesNothing(t: Test, title: string, act: () => Promise<void>): Promise<void> {
  await untilIdle(panel)
  const before = await readState(panel, [])
  await act()
  t.strictSame(await readState(panel, []), before, `${title} changes nothing`)
}

async function repeats(t: Test, title: string, baseUrl: string): Promise<void> {
  await changesNothing(t, title, async () => {
    for (const [id, answer] of await all(id => send(baseUrl, writes[id]!.request, keyOf(id)))) {
      t.strictSame(seen(answer), { ...seen(first[id]!), isReplay: true }, `${id}: ${title}`)
    }
  })
}

/** The parts that must be equal in a repeat, to the byte. */
const seen = ({ status, headers, text }: Answer) => ({
  status,
  text,
  location: headers.get('location'),
  reason: headers.get('x-panel-reason'),
  type: headers.get('content-type'),
  isReplay: headers.get('idempotent-replayed') === 'true',
})

/** The same request in other bytes. */
const spoilt = ({ body, ...request }: Request) => ({
  ...request,
  body: `${JSON.stringify(body ?? {})} ` as never,
})

const age = (by: string) =>
  pool.query(`update panel.operations set created_at = created_at - ${by}`)

function keyOf(id: string): string {
  return `key of ${id}`
}

function suspended(since: string): string {
  return `sellers set suspended_at = ${since} where not is_own`
}
