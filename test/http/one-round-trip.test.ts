import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { openApi } from '../../src/api/app.ts'
import { vendorKey } from '../../src/model/server/license.ts'
import { getOperator } from '../../src/model/sellers/operators.ts'
import { openOperatorSession } from '../../src/model/signing-in/sessions.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPages } from '../../src/web/routes.ts'
import { database, token } from '../support/database.ts'
import { call, surroundings } from '../support/panel.ts'
import { proxy } from '../support/proxy.ts'

// Counts the round trips of authentication between API and database: PostgreSQL answers a Sync or a
// simple query.

const { url, pool } = await database(t, 'panel_owned')
let roundTrips = 0
const databaseUrl = await proxy(t, url, chunk => {
  roundTrips += asksForAnswers(chunk)
  return 'pass'
})
const api = await openApi({
  databaseUrl,
  baseUrl: 'https://panel.test:8443',
  ...surroundings,
  license: { file: '/nonexistent/license', key: vendorKey, isDevelopment: true },
  pages: openPages,
})
api.server.listen(0, '127.0.0.1')
await once(api.server, 'listening')
t.teardown(api.stop)
const { port } = api.server.address() as AddressInfo

const get = (path: string, sent: string | null) =>
  call(`http://127.0.0.1:${port}/api/v1${path}`, 'GET', { token: sent })
await get('/packages', token)

/** The status of a call, and its number of round trips. */
async function costOf(path: string, sent: string | null): Promise<[number, number]> {
  const before = roundTrips
  const { status } = await get(path, sent)
  return [status, roundTrips - before]
}

t.test('caller, address, account and rate are one round trip', async t => {
  t.strictSame(await costOf('/packages', token), [200, 2], 'and one for what is asked')
  t.strictSame(await costOf('/accounts/missing', token), [404, 2])
})

t.test('a call that is refused for it makes that one round trip', async t => {
  t.strictSame(await costOf('/packages', 'pnl_unknown'), [401, 1])
  const elsewhere = await createToken(pool, {
    owner: 'admin',
    name: 'elsewhere',
    allowed: ['192.0.2.0/24'],
  })
  t.strictSame(await costOf('/packages', elsewhere.token), [403, 1])
})

t.test('without a token, and from the first 429 on, there is none', async t => {
  t.strictSame(await costOf('/packages', null), [401, 0])
  await pool.query('update panel.request_windows set used = 1200')
  t.strictSame(await costOf('/packages', token), [429, 1])
  t.strictSame(await costOf('/packages', token), [429, 0])
})

t.test('the page of an account runs one query, next to that for the session', async t => {
  await pool.query(`
    with package as (
      insert into panel.packages (seller_id, name)
      select seller_id, 'starter' from panel.operators where name = 'admin'
      returning id, seller_id)
    insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
    select seller_id, id, 'alice', 'alice@example.com', '$6$x', 'active' from package`)
  const { id } = await getOperator(pool, 'admin')
  const cookie = await openOperatorSession(pool, id, { address: '127.0.0.1', browser: undefined })
  const before = roundTrips
  const page = await fetch(`http://127.0.0.1:${port}/accounts/alice`, {
    headers: { cookie: `__Host-panel=${cookie}` },
  })
  t.match(await page.text(), 'alice@example.com')
  t.equal(roundTrips - before, 2)
})

// A message is a letter and a length, which does not count the letter.
function asksForAnswers(chunk: Buffer): number {
  let found = 0
  for (let at = 0; at + 5 <= chunk.length; at += 1 + chunk.readInt32BE(at + 1)) {
    const letter = chunk.toString('latin1', at, at + 1)
    // The first message of a connection has no letter, so it begins with a zero.
    if (letter === '\0') return found
    if (letter === 'S' || letter === 'Q') found++
  }
  return found
}
