import type { Test } from 'tap'
import {
  createAccount,
  putPackage,
  starter,
  suspend,
  type Refusals,
  type Refused,
  type Sent,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const get = (path: string): Sent => ({ method: 'GET', path: `/api/v1/${path}` })
  const asks = (sent: Sent, query: string, error: RegExp): Refused => [
    `${sent.method} ${sent.path}?${query}`,
    { ...sent, path: `${sent.path}?${query}` },
    { status: 400, error, isRecorded: sent.method !== 'GET' },
  ]

  t.test('an unknown query parameter is 400, and named', async t => {
    const unknown = /^Unknown query parameter: page$/
    const reads = ['accounts', 'accounts/alice', 'accounts/alice/usage', 'packages', 'usage']
    await refuse(t, ...reads.map(path => asks(get(path), 'page=1', unknown)))
    await refuse(
      t,
      asks({ ...suspend, body: {} }, 'page', unknown),
      asks({ ...putPackage, body: starter }, 'page=', unknown),
      asks(createAccount, 'page=1&page=2', unknown),
      asks(get('accounts'), 'limit=1&__proto__=1', /^Unknown query parameter: __proto__$/),
      asks(get('accounts'), 'a%0ab=1', /^Unknown query parameter: a\?b$/),
    )
  })

  t.test('a query parameter that comes twice is 400, and named', async t => {
    const twice = /^Sent more than once: limit$/
    await refuse(t, asks(get('accounts'), 'limit=1&limit=1', twice))
    await refuse(t, asks(get('accounts'), 'limit=1&%6cimit=2&state=active', twice))
  })

  t.test('a limit is a whole number in digits, within its range', async t => {
    const wrong = ['', '%2B1', '+1', '01', '1e2', '0x10', '1.0', '1.5', '%201', 'all', 'null']
    for (const path of ['accounts', 'accounts/alice/jobs']) {
      const asked = (value: string, error: RegExp) => asks(get(path), `limit=${value}`, error)
      const whole = /^limit must be a whole number$/
      await refuse(t, ...wrong.map(value => asked(value, whole)))
      await refuse(t, asked('0', /^limit must be at least 1$/), asked('-1', /^limit must be at l/))
      await refuse(t, asked('1001', /^limit must be at most 1000?$/))
    }
    t.equal((await send(get('accounts?limit=1000'))).status, 200)
  })

  t.test('an empty query is none', async t => {
    t.equal((await send(get('accounts?'))).status, 200)
    t.equal((await send(get('packages?&'))).status, 200)
  })
}
