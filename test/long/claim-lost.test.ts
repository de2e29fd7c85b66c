import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openApi } from '../../src/api/app.ts'
import { vendorKey } from '../../src/model/server/license.ts'
import { alice, call, openPanel, surroundings, type Answer } from '../support/panel.ts'
import { proxy, type Verdict } from '../support/proxy.ts'
import { until } from '../support/until.ts'
import { startApi } from '../support/api/api-process.ts'

// A request that only changes rows is finished in the transaction of its claim: whatever dies
// between claim and answer, either all is done and the answer recorded, or nothing is and the key
// is free.

const panel = await openPanel(t)
const { pool, token } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })

// An API that loses its connections to the database at the end of a transaction.
let loss: Verdict = 'pass'
const url = await proxy(t, panel.databaseUrl, chunk => {
  if (loss === 'pass' || !chunk.includes('commit')) return 'pass'
  const verdict = loss
  loss = 'pass'
  return verdict
})
const api = await openApi({
  databaseUrl: url,
  baseUrl: 'https://panel.test:8443',
  ...surroundings,
  license: { file: `${panel.root}/license`, key: vendorKey, isDevelopment: true },
})
t.teardown(api.stop)
await once(api.server.listen(0, '127.0.0.1'), 'listening')
const losing = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`

type Request = { method: string; path: string; body?: object; status: number }

/** One request of each kind, for a package or a link of its own. */
async function requestsFor(way: string): Promise<[key: string, request: Request][]> {
  await panel.call('PUT', `/api/v1/packages/old-${way}`, { body: {} })
  return [
    [`put ${way}`, { method: 'PUT', path: `/packages/new-${way}`, body: {}, status: 201 }],
    [`delete ${way}`, { method: 'DELETE', path: `/packages/old-${way}`, status: 200 }],
    [`login ${way}`, { method: 'POST', path: '/accounts/alice/login', status: 200 }],
  ]
}

const send = (baseUrl: string, key: string, { method, path, body }: Request) =>
  call(`${baseUrl}/api/v1${path}`, method, { key, token, ...(body && { body }) })

for (const moment of ['lose before', 'lose after'] as const) {
  t.test(`a database lost at the end (${moment}) leaves all or nothing`, async t => {
    const links = await linkCount()
    for (const [key, request] of await requestsFor(moment.replace(' ', '-'))) {
      loss = moment
      const lost = await send(losing, key, request)
      t.equal(lost.status, 503, key)
      t.equal(loss, 'pass', 'the connection was lost')
      await isDoneOnce(t, key, request, moment === 'lose after')
    }
    t.equal(await linkCount(), links + 1)
  })
}

t.test('an API process killed between claim and answer leaves nothing', async t => {
  const requests = await requestsFor('killed')
  const links = await linkCount()
  const killed = await startApi(t, panel.databaseUrl)
  // Every write of a package or a link waits for these rows.
  const holder = await pool.connect()
  await holder.query(
    `begin;
     select from panel.sellers for no key update;
     select from panel.packages where name = 'old-killed' for update;
     select from panel.accounts for update`,
  )
  const firsts = requests.map(([key, request]) =>
    send(killed.baseUrl, key, request).catch((error: unknown) => error),
  )
  await waiting(requests.length)
  await killed.kill()
  for (const first of firsts) t.type(await first, Error)
  const repeats = requests.map(([key, request]) => send(panel.baseUrl, key, request))
  await waiting(2 * requests.length)
  await holder.query('rollback')
  holder.release()

  for (const [index, [key, request]] of requests.entries()) {
    const repeat = await repeats[index]!
    t.equal(repeat.status, request.status, key)
    t.notOk(isReplay(repeat), `${key}: as new`)
    await isDoneOnce(t, key, request, true)
  }
  t.equal(await linkCount(), links + 1)
})

async function isDoneOnce(t: Test, key: string, request: Request, wasDone: boolean) {
  const repeat = await send(panel.baseUrl, key, request)
  t.equal(repeat.status, request.status, key)
  t.equal(isReplay(repeat), wasDone, `${key}: ${wasDone ? 'replayed' : 'as new'}`)
  const again = await send(losing, key, request)
  t.equal(again.text, repeat.text, key)
  t.ok(isReplay(again), key)
}

const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

async function linkCount(): Promise<number> {
  const { rows } = await pool.query('select count(*)::int as n from panel.sign_ons')
  return rows[0].n
}

const waiting = (sessions: number) =>
  until(async () => {
    const { rows } = await pool.query(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].n === sessions
  })
