import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { visit } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

// A user signed out, or signed in again, while a form was open.

const panel = await openPanel(t)

t.test('background requests of a form do not lead away from it', async t => {
  const path = '/packages/a%2Fb'
  const headers = { 'hx-request': 'true' }
  const {
    status,
    headers: answer,
    text,
  } = await visit(`${panel.baseUrl}${path}?name=x`, { headers })
  t.equal(status, 200)
  t.equal(answer['hx-redirect'], undefined)
  t.match(text, /<div id="call-packages-a-2-b-status">.*You have been signed out/s)
  const list = await visit(`${panel.baseUrl}/packages`, { headers })
  t.match(list.headers, { 'hx-redirect': '/sign-in?to=%2Fpackages' }, 'a list does')
  const sent = await visit(`${panel.baseUrl}${path}`, {
    ...{ method: 'POST', headers: { ...headers, origin: 'https://panel.test:8443' } },
  })
  t.equal(sent.headers['hx-redirect'], '/sign-in?to=%2Fpackages%2Fa%252Fb')
})

t.test('a form of an earlier session is shown again as it was typed, and not done', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  const tokenIn = (text: string) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const before = await signIn(panel)
  const token = tokenIn((await before.get('/accounts/new')).text)
  const now = await signIn(panel)
  const fields = {
    ...{ username: 'wilma"<b>', password: 'correct horse battery', email: 'not an address' },
    ...{ package: 'starter', domain: 'wilma.example' },
  }
  const { status, text } = await now.submit('/accounts/new', fields, { token })
  t.equal(status, 403)
  t.match(text, /<div class="notice bad" role="alert">.*Nothing was changed: you have signed in/s)
  t.match(text, 'Type passwords again.')
  t.match(text, /name="username"[^>]* value="wilma&quot;&lt;b&gt;"/)
  t.match(text, /name="email"[^>]* value="not an address"/)
  t.match(text, '<option value="starter" selected>')
  t.notMatch(text, fields.password)
  t.equal((await panel.pool.query('select from panel.accounts')).rowCount, 0)

  const answer = { ...fields, username: 'wilma', email: 'wilma@example.com' }
  const sent = await now.submit('/accounts/new', answer, {
    token: tokenIn(text.split('<main')[1]!),
  })
  t.match(sent, { status: 303, headers: { location: '/accounts/wilma' } })
  const ends = await now.submit('/accounts/wilma/terminate', { confirm: 'wilma' }, { token })
  t.match(ends, { status: 403, text: 'Type &quot;wilma&quot; to confirm' })
  t.notMatch(ends.text, 'value="wilma"', 'a destructive form asks again')
  t.notMatch(ends.text, 'Passwords')
  t.match(await now.submit('/sign-out', {}, { token }), { status: 403, text: /load it again/ })
})
