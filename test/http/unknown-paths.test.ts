import t from 'tap'
import {
  openRefusals,
  jsonType,
  starter,
  type Refused,
  type Sent,
} from '../support/api/refusals.ts'

const { refuse, send } = await openRefusals(t)

const unknown = [
  '/nothing',
  '/api',
  '/api/v1',
  '/api/v1/',
  '/api/v1/nothing',
  '/api/v2/packages',
  '/API/V1/packages',
  '/api/v1/Packages',
  '/api/v1/pack%61ges',
  '/api/v1/packages/starter/more',
  '/api/v1/accounts/alice/delete',
  '/api/v1/accounts/alice/suspend/now',
  '/api/v1/accounts/a/b/suspend',
  '/api/v1/../v1/packages/starter',
  // A doubled slash is taken in the base of the API alone.
  '/api/v1//',
  '/api//v1',
  '//api/v2/packages',
  '/x//api/v1/packages',
  '//evil.example/api/v1/packages',
  '/%2fapi/v1/packages',
  '/api/v1%2f/packages',
  '//API/v1/packages',
  '/api/v1//../v1/packages',
  '/api//v1/..//v1/packages',
  '/api/./v1/packages',
  '/\\api/v1/packages',
  '//healthz',
  '//accounts',
  '//sign-in',
  '/api/v1//accounts//',
  '/api/v1/accounts//usage',
  '/api/v1//accounts//alice',
  '/api/v1/accounts/alice//suspend',
  '/api/v1/accounts//',
  '/api/v1/accounts//suspend',
  '/%',
  '/%00',
  '/api/v1/%zz',
  '/index.php',
  '/.env',
  '/__proto__',
  '/api/v1/constructor',
  '*',
]

const toPath = (method: string, path: string): Sent =>
  method === 'GET' ? { method, path } : { method, path, headers: [jsonType], body: starter }

t.test('an unknown path is 404, with a token and without', async t => {
  const refusal = { status: 404, error: /path/, isRecorded: false }
  const cases = unknown.flatMap((path, index): Refused[] => {
    const method = ['PUT', 'POST', 'DELETE', 'PATCH'][index % 4]!
    const anonymous: Sent = { method: 'GET', path, headers: [['Authorization', 'none']] }
    return [
      [`GET ${path}`, anonymous, refusal],
      [`${method} ${path}`, toPath(method, path), refusal],
    ]
  })
  await refuse(t, ...cases)
})

const wrong: [methods: string[], path: string, allowed: RegExp][] = [
  [['POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'], '/api/v1/packages', /\bGET\b/],
  [['POST', 'PATCH', 'OPTIONS'], '/api/v1/packages/starter', /\bGET, .*\bPUT\b/],
  [['PUT', 'DELETE', 'PATCH'], '/api/v1/accounts', /\bPOST\b/],
  [['PUT', 'POST'], '/api/v1/accounts/alice', /\bGET\b/],
  [['GET', 'PUT', 'DELETE'], '/api/v1/accounts/alice/suspend', /^POST$/],
  [['GET', 'PUT', 'DELETE'], '/api/v1/accounts/alice/unsuspend', /^POST$/],
  [['PROPFIND', 'M-SEARCH', 'QUERY'], '/api/v1/accounts', /\bPOST\b/],
  [['POST', 'PUT'], '/healthz', /^GET, HEAD$/],
]

t.test('a method that a path does not have is 405 with those that it has', async t => {
  for (const [methods, path, allowed] of wrong) {
    for (const method of methods) {
      const sent = toPath(method, path)
      await refuse(t, [`${method} ${path}`, sent, { status: 405, error: new RegExp(method) }])
      t.match((await send(sent)).headers.get('allow'), allowed, `${method} ${path}`)
    }
  }
})

t.test('a 404 is no 405: it allows nothing', async t => {
  t.equal((await send(toPath('PUT', '/api/v1/nothing'))).headers.get('allow'), null)
})
