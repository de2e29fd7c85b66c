import t from 'tap'
import { createToken, NewToken } from '../../src/model/tokens.ts'
import { openPanel } from '../panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel

t.test('a token with addresses works from those, however they are written', async t => {
  const status = async (...texts: string[]) => {
    const allowed = NewToken.shape.allowed.parse(texts)
    const { token } = await createToken(pool, { owner: 'admin', name: 'limited', allowed })
    return (await panel.call('GET', '/api/v1/packages', { token })).status
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
  const get = async () => (await panel.call('GET', '/api/v1/packages', { token })).status
  t.equal(await get(), 200)
  await pool.query(
    'update panel.tokens set expires_at = clock_timestamp() where expires_at is not null',
  )
  t.equal(await get(), 401)
})
