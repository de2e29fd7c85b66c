import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

// HEAD exists where GET does, and returns all but the body (RFC 9110, section 9.3.2).

const { call } = await openPanel(t)
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

t.test('a HEAD gets what a GET gets, without the body', async t => {
  const paths = [
    ...['packages', 'packages/starter', 'accounts?limit=1', 'accounts/alice', 'usage'],
    ...['accounts/missing', 'jobs/none', 'usage?x'],
  ].map(path => `/api/v1/${path}`)
  for (const path of [...paths, '/healthz', '/llms.txt', '/provisioning-openapi.yaml']) {
    const [head, get] = [await call('HEAD', path), await call('GET', path)]
    t.equal(head.status, get.status, path)
    t.equal(head.text, '')
    for (const name of ['content-length', 'content-type', 'x-panel-reason']) {
      t.equal(head.headers.get(name), get.headers.get(name), `${path}: ${name}`)
    }
  }
})

t.test('a HEAD needs a token if the GET does, and no path without GET has one', async t => {
  t.equal((await call('HEAD', '/api/v1/packages', { token: null })).status, 401)
  const none = await call('HEAD', '/api/v1/accounts/alice/suspend')
  t.equal(none.status, 405)
  t.equal(none.headers.get('allow'), 'POST')
})
