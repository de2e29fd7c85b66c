import t from 'tap'
import { changePassword } from '../../src/model/sellers/operators.ts'
import { createToken, revokeToken } from '../../src/model/signing-in/tokens.ts'
import { alice } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { chrome, cookieOf, openWeb } from '../support/web/browser.ts'

const { panel, link, visit } = await openWeb(t)
const { pool } = panel

const sessions = async (): Promise<number> =>
  (await pool.query('select from panel.sessions')).rowCount ?? 0

t.test('a visit opens a session of the account, once', async t => {
  const path = await link()
  const first = await visit(path, { headers: chrome })
  t.equal(first.status, 303)
  t.equal(first.headers.location, '/account')
  t.match(
    first.headers['set-cookie']?.[0],
    /^__Host-panel-account=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
  const account = await visit('/account', { headers: { cookie: cookieOf(first) } })
  t.equal(account.status, 200)
  t.match(account.text, '<strong>alice</strong>')

  const second = await visit(path, { headers: chrome })
  t.equal(second.status, 410)
  t.match(second.text, 'This link has expired')
  t.equal(second.headers['set-cookie'], undefined)
  t.equal((await visit('/account', { headers: { cookie: cookieOf(first) } })).status, 200)
})

t.test('a browser that says nothing of how it fetches visits too', async t => {
  t.equal((await visit(await link())).status, 303)
})

t.test('the token is kept nowhere, nor is the session', async t => {
  const path = await link()
  const session = cookieOf(await visit(path)).replace('__Host-panel-account=', '')
  const { rows } = await pool.query(
    `select s::text from panel.sign_ons s union all select a::text from panel.sessions a
     union all select o::text from panel.operations o`,
  )
  t.ok(rows.length > 2)
  const inHex = (text: string) => Buffer.from(text).toString('hex')
  for (const secret of [path.replace('/sso/', ''), session]) {
    t.notOk(rows.some(({ s }) => s.includes(secret) || s.includes(inHex(secret))))
  }
})

const looks: [what: string, how: { method?: string; headers?: Record<string, string> }][] = [
  ['HEAD', { method: 'HEAD' }],
  ['a prefetch', { headers: { ...chrome, 'sec-purpose': 'prefetch' } }],
  ['a prerender', { headers: { ...chrome, 'sec-purpose': 'prefetch;prerender' } }],
  ['an older prefetch', { headers: { purpose: 'prefetch' } }],
  ['a fetch by a script', { headers: { ...chrome, 'sec-fetch-mode': 'cors' } }],
  ['an image', { headers: { ...chrome, 'sec-fetch-mode': 'no-cors' } }],
  ['a frame', { headers: { ...chrome, 'sec-fetch-dest': 'iframe' } }],
  ['Slack', { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } }],
  ['WhatsApp', { headers: { 'user-agent': 'WhatsApp/2.23.20.0 A' } }],
  ['Facebook', { headers: { 'user-agent': 'facebookexternalhit/1.1' } }],
  [
    'Teams',
    { headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1) SkypeUriPreview Preview/0.5' } },
  ],
  ['Telegram', { headers: { 'user-agent': 'TelegramBot (like TwitterBot)' } }],
  ['Outlook', { headers: { 'user-agent': 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)' } }],
  ['Word', { headers: { 'user-agent': 'Microsoft Office/16.0 (Windows NT 10.0)' } }],
  ['Mattermost', { headers: { 'user-agent': 'mattermost-11.1' } }],
  ['VirusTotal', { headers: { 'user-agent': 'virustotalcloud' } }],
  ['Mimecast', { headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Mimecast' } }],
  ['Google Mail', { headers: { 'user-agent': 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)' } }],
]

t.test('a preview gets a button and uses up nothing', async t => {
  const path = await link()
  const before = await sessions()
  for (const [what, how] of looks) {
    const page = await visit(path, how)
    t.equal(page.status, 200, what)
    t.equal(page.headers['set-cookie'], undefined)
    if (how.method === 'HEAD') t.equal(page.text, '')
    else t.match(page.text, '<form method="post">')
    t.notMatch(page.text, path.replace('/sso/', ''), 'the page does not repeat the secret')
  }
  t.equal(await sessions(), before)
  t.equal((await visit(path, { headers: chrome })).status, 303)
  for (const [what, how] of looks) t.equal((await visit(path, how)).status, 410, what)
})

t.test('the button signs in, pressed on our page and nowhere else', async t => {
  const path = await link()
  const press = (headers: Record<string, string>) => visit(path, { method: 'POST', headers })
  const foreign = [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://panel.test' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://panel.test:8443' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of foreign) {
    const refused = await press(headers as Record<string, string>)
    t.equal(refused.status, 403, JSON.stringify(headers))
    t.equal(refused.headers['set-cookie'], undefined)
  }
  // Our pages name no referrer, so browsers send no origin either.
  const pressed = await press({ 'sec-fetch-site': 'same-origin', origin: 'null' })
  t.equal(pressed.status, 303)
  t.match(cookieOf(pressed), /^__Host-panel-account=/)
  t.equal((await press({ 'sec-fetch-site': 'same-origin' })).status, 410)

  const another = await link()
  const origin = 'https://panel.test:8443'
  t.equal((await visit(another, { method: 'POST', headers: { origin } })).status, 303)
})

t.test('one of 20 visits at once gets in', async t => {
  const path = await link()
  const before = await sessions()
  const pages = await Promise.all(Array.from({ length: 20 }, () => visit(path)))
  const statuses = pages.map(({ status }) => status).sort()
  t.strictSame(statuses, [303, ...Array.from({ length: 19 }, () => 410)])
  t.equal(await sessions(), before + 1)
})

t.test('a late link is over', async t => {
  const path = await link()
  await pool.query(`update panel.sign_ons set expires_at = now() where used_at is null`)
  t.equal((await visit(path)).status, 410)
  t.equal((await visit(path, { method: 'HEAD' })).status, 410)
})

t.test('an invalid link is over too', async t => {
  const never = 'A'.repeat(43)
  for (const path of [`/sso/${never}`, '/sso/x', '/sso/%00', '/sso/%zz', `/sso/${never}x`]) {
    const page = await visit(path)
    t.equal(page.status, 410, path)
    t.match(page.headers['content-type'], 'text/html')
  }
  for (const path of ['/sso', '/sso/', `/sso/${never}/more`]) {
    t.equal((await visit(path)).status, 404, path)
  }
})

const signIn = async () => cookieOf(await visit(await link()))
const entered = (cookie: string) => visit('/account', { headers: { cookie } })

t.test('a change of the account’s password ends what was opened before', async t => {
  const [session, early] = [await signIn(), await link()]
  const change = (password: string) =>
    panel.call('PUT', '/api/v1/accounts/alice/password', { body: { password } })
  t.equal((await change('short')).status, 400)
  await panel.call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'starter' } })
  t.equal((await entered(session)).status, 200, 'nothing else does')
  t.equal((await change('another horse battery')).status, 200)
  t.equal((await entered(session)).status, 303)
  t.equal((await visit(early)).status, 410)
  t.equal((await visit(early, { method: 'HEAD' })).status, 410)
  t.equal((await entered(await signIn())).status, 200)
})

t.test('a session that a token has opened ends when the token does', async t => {
  const seller = await makeReseller(pool, 'bigshop')
  const { token: kept } = await createToken(pool, { owner: 'bigshop', name: 'another' })
  await panel.call('PUT', '/api/v1/packages/basic', { token: kept })
  const body = { ...alice, username: 'bob', package: 'basic', domain: null }
  await panel.call('POST', '/api/v1/accounts', { token: kept, body })
  const linkBy = async (token: string) => {
    const { body } = await panel.call('POST', '/api/v1/accounts/bob/login', { token })
    return new URL(body.url).pathname
  }
  const openBy = async (token: string) => cookieOf(await visit(await linkBy(token)))
  const [revoked, other, house] = [
    await openBy(seller.token),
    await openBy(kept),
    await openBy(panel.token),
  ]
  await revokeToken(pool, seller.id)
  t.equal((await entered(revoked)).status, 303)
  t.equal((await entered(other)).status, 200)
  const early = await linkBy(kept)
  await changePassword(pool, 'bigshop', 'a new password of it')
  t.equal((await entered(other)).status, 303)
  t.equal((await visit(early)).status, 410)
  t.equal((await entered(house)).status, 200, 'that of another owner stays')
})

t.test('an account that is suspended or terminated is entered by no link', async t => {
  const cookie = await signIn()
  const [early, late] = [await link(), await link()]
  await panel.call('POST', '/api/v1/accounts/alice/suspend')
  t.equal((await visit(early)).status, 410)
  t.equal((await visit(early, { method: 'HEAD' })).status, 410)
  t.equal((await visit('/account', { headers: { cookie } })).status, 403, 'nor by a session')
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  t.equal((await visit(early)).status, 410, 'nor when it is active again')
  t.equal((await visit('/account', { headers: { cookie } })).status, 303)
  const [last, later] = [await signIn(), await link()]
  t.equal((await entered(last)).status, 200)
  await panel.call('DELETE', '/api/v1/accounts/alice')
  t.equal((await visit(late)).status, 410)
  t.equal((await visit(later)).status, 410)
  t.equal((await entered(last)).status, 303)
})
