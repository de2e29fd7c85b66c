import t from 'tap'
import { createToken } from '../../src/model/tokens.ts'
import { openPanel } from '../panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel

const get = (token: string | null) => panel.call('GET', '/api/v1/packages', { token })
const newToken = () => createToken(pool, { owner: 'admin', name: 'another' })

t.test('a token of an owner gets in, and the answer says what is left of its limit', async t => {
  const { token } = await newToken()
  const answer = await get(token)
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('ratelimit-limit'), '1200')
  t.equal(answer.headers.get('ratelimit-remaining'), '1199')
  t.equal(answer.headers.get('ratelimit-reset'), '60')
  t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/)
})

t.test('revoked, expired and outdated tokens are unknown', async t => {
  const changes = [
    'update panel.tokens set revoked_at = now() where id = $1',
    `update panel.tokens set expires_at = now() - interval '1 second' where id = $1`,
    'update panel.tokens set credential_epoch = 0 where id = $1',
  ]
  for (const change of changes) {
    const { id, token } = await newToken()
    t.equal((await get(token)).status, 200)
    await pool.query(change, [id])
    const refused = await get(token)
    t.equal(refused.status, 401, change)
    t.equal(refused.headers.get('www-authenticate'), 'Bearer')
  }
})

t.test('a token limited to addresses works from those only', async t => {
  const { id, token } = await newToken()
  const allow = (cidr: string) =>
    pool.query('update panel.tokens set allowed = $2 where id = $1', [id, [cidr]])
  await allow('127.0.0.0/8')
  t.equal((await get(token)).status, 200)
  await allow('192.0.2.0/24')
  t.equal((await get(token)).status, 403)
})

t.test('of many at once exactly 1,200 in 60 seconds are served', async t => {
  const { id, token } = await newToken()
  const statuses: Record<number, number> = {}
  const callers = Array.from({ length: 32 }, async () => {
    for (let call = 0; call < 40; call++) {
      const { status } = await get(token)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  })
  await Promise.all(callers)
  t.strictSame(statuses, { 200: 1_200, 429: 80 })

  const refused = await get(token)
  t.equal(refused.status, 429)
  t.equal(refused.headers.get('retry-after'), '60')
  t.equal(refused.headers.get('ratelimit-remaining'), '0')
  t.equal((await get(panel.token)).status, 200, 'other tokens are not concerned')

  // A minute passes.
  await pool.query('update panel.request_counts set second = second - 60 where token_id = $1', [id])
  const { rows } = await pool.query(
    `select verdict
     from panel.authenticate((select hash from panel.tokens where id = $1), null, 1200)`,
    [id],
  )
  t.strictSame(rows, [{ verdict: 'ok' }])
})

t.test('what is not HTTP, or too much of it, is answered in our shape', async t => {
  const answer = await panel.call('GET', '/api/v1/packages', {
    headers: { 'x-filler': 'x'.repeat(20_000) },
  })
  t.equal(answer.status, 431)
  t.match(answer.body, { error: String })
})
