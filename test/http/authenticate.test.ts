import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPanel, type Answer } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'

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

t.test('a refused known token gets its limit reported, and does not count', async t => {
  const reported = ({ status, headers }: Answer) => {
    const [left, reset] = ['ratelimit-remaining', 'ratelimit-reset'].map(name => headers.get(name))
    return { status, limit: headers.get('ratelimit-limit'), left, reset: Number(reset) }
  }
  const { id, token } = await makeReseller(pool, 'reseller')
  const sellers = (words: string) =>
    pool.query(`update panel.sellers set suspended_at = ${words} where not is_own`)
  await pool.query(`update panel.tokens set allowed = '{192.0.2.0/24}' where id = $1`, [id])
  const untouched = { status: 403, limit: '1200', left: '1200', reset: 0 }
  for (let count = 0; count < 3; count++) t.strictSame(reported(await get(token)), untouched)
  await pool.query('update panel.tokens set allowed = null where id = $1', [id])
  await sellers('now()')
  t.strictSame(reported(await get(token)), untouched)
  await sellers('null')
  t.match(reported(await get(token)), { status: 200, left: '1199' })
  await sellers('now()')
  for (let count = 0; count < 3; count++) {
    const refused = reported(await get(token))
    t.match(refused, { status: 403, left: '1199' })
    t.ok(refused.reset > 0 && refused.reset <= 60, 'the one that was used leaves the window')
  }
  await sellers('null')
})

t.test('bytes that are no HTTP, or too many of them, are answered in our shape', async t => {
  const answer = await panel.call('GET', '/api/v1/packages', {
    headers: { 'x-filler': 'x'.repeat(20_000) },
  })
  t.equal(answer.status, 431)
  t.match(answer.body, { error: String })
})
