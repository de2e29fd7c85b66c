import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'

const panel = await openPanel(t)
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const signOn = (options = {}) => call('POST', '/api/v1/accounts/alice/login', options)

t.test('the link is made from the base address and expires after 60 seconds', async t => {
  const answer = await signOn()
  t.equal(answer.status, 200)
  t.strictSame(Object.keys(answer.body), ['url', 'expires_at'])
  t.match(answer.body.url, /^https:\/\/panel\.test:8443\/sso\/[A-Za-z0-9_-]{43}$/)
  const validMs = Date.parse(answer.body.expires_at) - Date.now()
  t.ok(validMs > 50_000 && validMs <= 60_000)
})

t.test('a repeat gets the same link, which rests nowhere in clear', async t => {
  const first = await signOn({ key: 'one' })
  const again = await signOn({ key: 'one' })
  t.equal(again.text, first.text)
  t.equal(again.headers.get('idempotent-replayed'), 'true')
  const secret = first.body.url.split('/').at(-1)
  const { rows } = await pool.query(
    `select encode(o.body, 'escape') as text, o::text as row from panel.operations o
     union all select null, s::text from panel.sign_ons s`,
  )
  t.ok(rows.length >= 4)
  t.notMatch(JSON.stringify(rows), secret)
})

t.test('another token cannot read the recorded link', async t => {
  await signOn({ key: 'two' })
  const { token } = await createToken(pool, { owner: 'admin', name: 'other' })
  const other = await signOn({ key: 'two', token })
  t.equal(other.headers.get('idempotent-replayed'), null, 'keys are scoped to the token')
})

t.test('a suspended account has no link', async t => {
  await call('POST', '/api/v1/accounts/alice/suspend')
  t.match(await signOn(), { status: 400, body: { error: /suspended/ } })
  await call('POST', '/api/v1/accounts/alice/unsuspend')
})
