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

t.test('what is not HTTP, or too much of it, is answered in our shape', async t => {
  const answer = await panel.call('GET', '/api/v1/packages', {
    headers: { 'x-filler': 'x'.repeat(20_000) },
  })
  t.equal(answer.status, 431)
  t.match(answer.body, { error: String })
})
