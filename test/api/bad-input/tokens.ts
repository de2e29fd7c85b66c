import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { addOperator } from '../../../src/model/sellers/operators.ts'
import { createToken, revokeToken } from '../../../src/model/signing-in/tokens.ts'
import {
  bob,
  createAccount,
  jsonType,
  putPackage,
  starter,
  type Header,
  type Refusal,
  type Refusals,
  type Refused,
  type Sent,
} from '../../support/api/refusals.ts'

// Fewer than 60 failures in total, because from the 61st in a minute on they are 429.
export default async function test(t: Test, { panel, refuse, send }: Refusals): Promise<void> {
  const { pool, token } = panel

  const unauthenticated: Refusal = { status: 401, error: /API token/ }

  const createWith = (...headers: Header[]): Sent => ({
    ...createAccount,
    body: bob,
    headers: [jsonType, ...headers],
  })
  const putWith = (...headers: Header[]): Sent => ({
    ...putPackage,
    body: starter,
    headers: [jsonType, ...headers],
  })
  const bearer = (value: string): Header => ['Authorization', `Bearer ${value}`]

  const malformed: [title: string, authorization: string][] = [
    ['an empty header', ''],
    ['a scheme without a token', 'Bearer'],
    ['a token without a scheme', token],
    ['another scheme', `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`],
    ['a scheme run together with the token', `Bearer${token}`],
    ['two tokens in one header', `Bearer ${token}, Bearer ${token}`],
  ]

  t.test('a header that is not one bearer token is 401', async t => {
    const cases = malformed.map(([title, value]): Refused => [
      title,
      createWith(['Authorization', value]),
      unauthenticated,
    ])
    await refuse(t, ...cases)
  })

  const unknown: [title: string, token: string][] = [
    ['not ASCII', `${token}\xfc`],
    ['SQL', `' or 1=1 --`],
    ['8 KiB', 'x'.repeat(8_192)],
    ['random', `pnl_${randomBytes(32).toString('base64url')}`],
    ['cut', token.slice(0, -1)],
    ['in upper case', token.toUpperCase()],
  ]

  t.test('an unknown token is 401', async t => {
    const cases = unknown.map(([title, value]): Refused => [
      title,
      createWith(bearer(value)),
      unauthenticated,
    ])
    await refuse(t, ...cases)
  })

  t.test('a token counts in one Authorization header and nowhere else', async t => {
    const none: Header = ['Authorization', '']
    const elsewhere: [title: string, sent: Sent][] = [
      ['sent twice', createWith(bearer(token), bearer(token))],
      ['sent after an unknown one', createWith(bearer('pnl_x'), bearer(token))],
      ['in a cookie', createWith(none, ['Cookie', `token=${token}`])],
      ['in another header', createWith(none, ['X-Api-Key', token])],
      ['in the query', { ...createWith(none), path: `/api/v1/accounts?access_token=${token}` }],
    ]
    for (const [title, sent] of elsewhere) await refuse(t, [title, sent, unauthenticated])
  })

  const ended: [title: string, sql: string][] = [
    ['revoked', 'update panel.tokens set revoked_at = now() where id = $1'],
    ['expired', `update panel.tokens set expires_at = now() - interval '1 s' where id = $1`],
    ['older than a password', 'update panel.tokens set credential_epoch = 0 where id = $1'],
  ]

  t.test('a token that was good and is no longer is 401', async t => {
    for (const [title, sql] of ended) {
      const other = await createToken(pool, { owner: 'admin', name: title })
      t.equal((await send(putWith(bearer(other.token)))).status, 200, title)
      await pool.query(sql, [other.id])
      await refuse(
        t,
        [`package, ${title}`, putWith(bearer(other.token)), unauthenticated],
        [`account, ${title}`, createWith(bearer(other.token)), unauthenticated],
      )
    }
  })

  t.test('an answer is not replayed to a token that was revoked since', async t => {
    const other = await createToken(pool, { owner: 'admin', name: 'replay' })
    const sent = putWith(bearer(other.token), ['Idempotency-Key', 'replay'])
    t.equal((await send(sent)).status, 200)
    t.equal((await send(sent)).headers.get('idempotent-replayed'), 'true')
    await revokeToken(pool, other.id)
    await refuse(t, ['replay', sent, unauthenticated])
  })

  t.test('a 401 says how to authenticate, and nothing about the rate limit', async t => {
    const { headers } = await send(createWith(bearer('pnl_x')))
    t.equal(headers.get('www-authenticate'), 'Bearer')
    t.equal(headers.get('ratelimit-limit'), null)
  })

  const forbidden: Refusal = { status: 403, error: /address|suspended/, isRecorded: false }

  t.test('a token that is used from elsewhere is 403, and its key stays free', async t => {
    const other = await createToken(pool, { owner: 'admin', name: 'elsewhere' })
    const sent = createWith(bearer(other.token))
    await pool.query(`update panel.tokens set allowed = '{10.0.0.0/8}' where id = $1`, [other.id])
    await refuse(t, ['another address', sent, forbidden])
  })

  t.test('a token of a suspended reseller is 403, and its key stays free', async t => {
    const account = { name: 'reseller', email: 'r@example.com', password: 'of the test, too' }
    await addOperator(pool, { ...account, role: 'reseller' })
    const other = await createToken(pool, { owner: 'reseller', name: 'suspended' })
    await pool.query('update panel.sellers set suspended_at = now() where not is_own')
    await refuse(t, ['suspended', createWith(bearer(other.token)), forbidden])
  })

  t.test('the scheme is read in any case, and the good token goes on working', async t => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const put = await send(putWith(['Authorization', `${scheme} ${token}`]))
      t.equal(put.status, 200, scheme)
      t.equal(put.headers.get('ratelimit-limit'), '1200', scheme)
    }
  })
}
