import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { call } = panel
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 5, php_execution_seconds: 60 } })
await call('POST', '/api/v1/accounts', { body: alice })

t.test('all problems of a form are listed at once, each with a link to its field', async t => {
  const admin = await signIn(panel)
  const typed = { username: 'Odd name!', password: 'short', email: 'none', package: 'starter' }
  const { status, text } = await admin.submit('/accounts/new', { ...typed, domain: 'no domain' })
  t.equal(status, 422)
  t.match(text, 'There are 4 problems. Nothing was changed yet.')
  for (const name of ['username', 'password', 'email', 'domain']) {
    t.match(text, `<a href="#field-${name}">`)
    t.match(text, `id="field-${name}-error"`)
  }
  t.match(text, /id="field-domain-example">For example: <span[^>]*>alice.example</)
  t.match(text, /aria-describedby="[^"]*field-domain-example"/)
  t.notMatch(text, 'value="short"', 'a password is not shown again')
  for (const value of ['Odd name!', 'none', 'no domain']) t.match(text, `value="${value}"`)

  const taken = await admin.submit('/accounts/new', {
    ...{ ...typed, username: 'alice', email: alice.email, password: alice.password },
  })
  t.equal(taken.status, 422)
  t.notMatch(taken.text, 'There are', 'one problem is only next to its field')
  t.notMatch(taken.text, 'For example', 'its text is not wrong')
})

t.test('all values that cannot be had are listed at once, each next to its field', async t => {
  const admin = await signIn(panel)
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username: 'bob', domain: null, reference: 'order-7' },
  })
  const typed = { ...alice, reference: 'order-7', password: 'correct horse battery' }
  const { status, text } = await admin.submit('/accounts/new', typed)
  t.equal(status, 422)
  t.match(text, 'There are 3 problems. Nothing was changed yet.')
  t.match(text, 'id="field-username-error">Username alice is taken</p>')
  t.match(text, 'id="field-domain-error">Domain alice.example is taken</p>')
  t.match(text, 'id="field-reference-error">Reference order-7 belongs to the account bob')
  t.notMatch(text, 'is taken; ', 'no sentence has those of others')
})

t.test('all limits of a package that PHP settings exceed are listed at once', async t => {
  const customer = await signInAs(panel, 'alice')
  const { text, status } = await customer.submit('/account/sites/alice.example/php', {
    ...{ memory_limit_mb: '32000', max_execution_seconds: '200' },
  })
  t.equal(status, 422)
  t.match(text, /id="field-memory_limit_mb-error">The package starter allows \d+ MB of memory/)
  t.match(text, /id="field-max_execution_seconds-error">[^<]*allows requests of 60 s/)
})

t.test('a domain may be pasted as an address', async t => {
  const customer = await signInAs(panel, 'alice')
  for (const [domain, name] of [
    ['https://www.x.example/', 'x.example'],
    [' HTTP://Shop.example:8080/a/b?c#d ', 'shop.example'],
    ['www.münchen.example', 'xn--mnchen-3ya.example'],
  ] as const) {
    const added = await customer.submit('/account/sites/new', { domain })
    t.equal(added.status, 303, domain)
    t.match(await customer.get(`/account/sites/${name}`), { status: 200 }, domain)
  }
  const refused = await customer.submit('/account/sites/new', { domain: 'https://x/' })
  t.equal(refused.status, 422)
  t.match(refused.text, 'value="https://x/"', 'the text is shown as it was typed')
})

t.test('the call next to the form of a customer has the name of the customer', async t => {
  const customer = await signInAs(panel, 'alice')
  for (const path of ['sites/alice.example/serving', 'sites/alice.example/https']) {
    const { text } = await customer.get(`/account/${path}`)
    t.match(text, '/api/v1/accounts/alice/sites/alice.example', path)
    t.notMatch(text, 'USERNAME', path)
  }
})
