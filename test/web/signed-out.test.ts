import t from 'tap'
import { openPanel } from '../panel.ts'
import { visit } from './browser.ts'

// Who was signed out, or has signed in again, while a form stood open.

const panel = await openPanel(t)

t.test('what a form asks for by itself leads nobody away from it', async t => {
  const path = '/packages/a%2Fb'
  const headers = { 'hx-request': 'true' }
  const { status, headers: said, text } = await visit(`${panel.baseUrl}${path}?name=x`, { headers })
  t.equal(status, 200)
  t.equal(said['hx-redirect'], undefined)
  t.match(text, /<div id="call-packages-a-2-b-told">.*You are signed out/s)
  const list = await visit(`${panel.baseUrl}/packages`, { headers })
  t.match(list.headers, { 'hx-redirect': '/sign-in?to=%2Fpackages' }, 'a list does')
  const sent = await visit(`${panel.baseUrl}${path}`, {
    ...{ method: 'POST', headers: { ...headers, origin: 'https://panel.test:8443' } },
  })
  t.equal(sent.headers['hx-redirect'], '/sign-in?to=%2Fpackages%2Fa%252Fb')
})
