import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const admin = await signIn(panel)
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
await panel.call('POST', '/api/v1/accounts', { body: alice })

t.test('an account keeps the reference that it was created with, and is found by it', async t => {
  const referred = { ...alice, username: 'ida', domain: '', reference: ' Order/7?x=1 ' }
  t.equal((await admin.submit('/accounts/new', referred)).status, 303)
  t.match((await admin.get('/accounts/ida')).text, '<dt>Reference</dt><dd>Order/7?x=1</dd>')
  t.notMatch((await admin.get('/accounts/alice')).text, '<dt>Reference</dt>')
  const found = await admin.get('/accounts?q=order%2F7%3FX')
  t.match(found.text, 'href="/accounts/ida"')
  t.notMatch(found.text, 'href="/accounts/alice"')
  const taken = await admin.submit('/accounts/new', { ...referred, username: 'jan' })
  t.equal(taken.status, 422)
  t.match(
    taken.text,
    /id="field-reference-error">Reference Order\/7\?x=1 belongs to the account ida/,
  )
})
