import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { visit } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const { call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
const admin = await signIn(panel)
await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: '<b>late' } })

const poll = (path: string, target: string, known = 'none') =>
  visit(`${panel.baseUrl}${path}`, {
    headers: {
      ...{ cookie: admin.cookie, 'hx-request': 'true' },
      ...{ 'hx-target': target, 'if-none-match': known },
    },
  })

t.test('a live part comes alone, and not again before it changes', async t => {
  const whole = await admin.get('/jobs')
  t.notOk(whole.headers.etag, 'a page of its own has none')
  const first = await poll('/jobs', 'section#jobs')
  t.equal(first.status, 200)
  t.match(first.text, /^<section class="card" id="jobs".*<\/section>$/s)
  t.match(first.text, 'data-says="0 of the 3 jobs in this list failed"')
  t.ok(whole.text.includes('<nav'), 'unlike the whole page')
  t.notOk(first.text.includes('<nav'))
  const etag = String(first.headers.etag)
  t.match(await poll('/jobs', 'section#jobs', etag), { status: 304, text: '' })

  await call('POST', '/api/v1/accounts/alice/unsuspend')
  const changed = await poll('/jobs', 'section#jobs', etag)
  t.equal(changed.status, 200)
  t.not(changed.headers.etag, etag)
})

t.test('tokens, keys and relative times are no change', async t => {
  const path = '/hooks/webhooks'
  for (const [page, target] of [
    [path, 'section#webhooks'],
    ['/overview', 'div#live'],
    ['/jobs', 'section#jobs'],
  ] as const) {
    const { headers } = await poll(page, target)
    await new Promise(resolve => setTimeout(resolve, 1_100))
    t.equal((await poll(page, target, String(headers.etag))).status, 304, page)
  }
})

t.test('an unchanged part costs fewer than 300 bytes', async t => {
  const { headers } = await poll('/jobs', 'section#jobs')
  const { hostname, port } = new URL(panel.baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    [
      'GET /jobs HTTP/1.1',
      `Host: ${hostname}`,
      `Cookie: ${admin.cookie}`,
      'HX-Request: true',
      'HX-Target: section#jobs',
      `If-None-Match: ${headers.etag}`,
      '\r\n',
    ].join('\r\n'),
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  t.match(answer.toString(), /^HTTP\/1.1 304 /)
  t.ok(answer.length < 300, `${answer.length} bytes`)
})

t.test('anything else gets the whole page', async t => {
  for (const target of ['section#nothing', 'nav#jobs', 'body', 'section#jobs"]', '<b>#jobs', '']) {
    const page = await poll('/jobs', target)
    t.match(page, { status: 200, text: /<nav/ }, target)
    t.notOk(page.headers.etag, target)
  }
  const refused = await poll('/jobs?state=odd', 'section#jobs')
  t.equal(refused.status, 400)
  t.notOk(refused.headers.etag)
})
