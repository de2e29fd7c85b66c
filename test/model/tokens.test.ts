import t from 'tap'
import {
  createToken,
  listTokens,
  NewToken,
  revokeToken,
} from '../../src/model/signing-in/tokens.ts'
import { openPanel } from '../support/panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel

const make = (name: string) => createToken(pool, { owner: 'admin', name })
const get = async (token: string) => (await panel.call('GET', '/api/v1/packages', { token })).status

t.test('a token with addresses works from those, however they are written', async t => {
  const status = async (...texts: string[]) => {
    const allowed = NewToken.shape.allowed.parse(texts)
    const { token } = await createToken(pool, { owner: 'admin', name: 'limited', allowed })
    return get(token)
  }
  t.equal(await status('127.0.0.1'), 200)
  t.equal(await status('192.0.2.0/24', '127.0.0.0/8'), 200)
  t.equal(await status('::ffff:127.0.0.1'), 200)
  t.equal(await status('192.0.2.0/24'), 403)
  t.equal(await status('::/0'), 403, 'IPv4 is not within IPv6')
  t.equal(await status(), 200)
})

t.test('reads days and times, in the future only', async t => {
  const expiry = NewToken.shape.expiresAt
  const read = (text: string) => expiry.parse(text).toISOString()
  t.equal(read('2099-12-31'), '2099-12-31T00:00:00.000Z')
  t.equal(read('2099-12-31T18:30:00+02:00'), '2099-12-31T16:30:00.000Z')
  t.equal(read('2096-02-29T00:00:00.5Z'), '2096-02-29T00:00:00.500Z')
  const wrong = ['', 'never', '99-12-31', '2099-02-29', '2099-13-01', '2099-12-31T25:00:00Z']
  wrong.push('2099-12-31T18:30:00', '20991231', '4102444800', new Date().toISOString())
  for (const text of wrong) t.equal(expiry.safeParse(text).success, false, text)
})

t.test('an expired token is refused from that moment', async t => {
  const expiresAt = new Date(Date.now() + 1_000)
  const { token } = await createToken(pool, { owner: 'admin', name: 'short', expiresAt })
  t.equal(await get(token), 200)
  await pool.query(
    'update panel.tokens set expires_at = clock_timestamp() where expires_at is not null',
  )
  t.equal(await get(token), 401)
})

t.test('a token that is revoked by hand is refused from that moment, another is not', async t => {
  const [one, other] = [await make('one'), await make('other')]
  t.strictSame([await get(one.token), await get(other.token)], [200, 200])
  await revokeToken(pool, one.id)
  t.strictSame([await get(one.token), await get(other.token)], [401, 200])
})

t.test('the last use is known to the second, and costs no write for each request', async t => {
  const { id, token } = await make('used')
  const lastUse = async () => (await listTokens(pool, 'admin')).find(one => one.id === id)!
  // Differs after any write of the row.
  const version = async () => {
    const { rows } = await pool.query('select xmin::text from panel.tokens where id = $1', [id])
    return rows[0].xmin
  }
  const made = await version()
  t.equal((await lastUse()).last_used_at, null)
  await get(token)
  const first = await version()
  t.not(first, made, 'the first use is written down')
  await Promise.all(Array.from({ length: 60 }, () => get(token)))
  t.equal(await version(), first)

  await pool.query(`update panel.request_windows set second = second + 9 where token_id = $1`, [id])
  const { last_used_at: used } = await lastUse()
  t.ok(used!.getTime() > Date.now() + 5_000, 'the counters know more')
  // As a crash of the server does.
  await pool.query('truncate panel.request_windows')
  const { last_used_at: kept } = await lastUse()
  t.ok(kept !== null && Math.abs(Date.now() - kept.getTime()) < 60_000, 'and it outlives them')

  await pool.query(
    `update panel.tokens set last_used_at = last_used_at - interval '11 minutes' where id = $1`,
    [id],
  )
  const old = await version()
  await Promise.all(Array.from({ length: 30 }, () => get(token)))
  const renewed = await version()
  t.not(renewed, old, 'it is written down again after ten minutes')
  await get(token)
  t.equal(await version(), renewed)
})

t.test('a refused token has no use recorded', async t => {
  const { id, token } = await make('refused')
  await pool.query(`update panel.tokens set allowed = '{192.0.2.1}' where id = $1`, [id])
  t.equal(await get(token), 403)
  const listed = (await listTokens(pool, 'admin')).find(one => one.id === id)
  t.equal(listed?.last_used_at, null)
})
