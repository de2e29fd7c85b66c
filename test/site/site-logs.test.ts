import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// The last lines of a website's logs are on its page, for its owner and for operators.

const panel = await openPanel(t)
const { call, pool, root } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
for (const username of ['alice', 'bob']) {
  await call('POST', '/api/v1/accounts', {
    body: { ...alice, username, domain: `${username}.example` },
  })
}
const logs = join(root, 'home/alice/logs')
mkdirSync(logs, { recursive: true })
const write = (name: string, text: string) =>
  writeFileSync(join(logs, `alice.example.${name}`), text)
const request = (path: string) => `192.0.2.7 - - [26/Nov/2026:22:14:03 +0000] "GET ${path}" 200`
write('access.log', [request('/first'), request('/<b>bold</b>'), '\0\x1b[31m\ud800', ''].join('\n'))
write('error.log', '2026/11/26 22:14:03 [error] 404 192.0.2.7 "GET /none": no file\n')

const customer = await signInAs(panel, 'alice')
const other = await signInAs(panel, 'bob')
const admin = await signIn(panel)
const own = '/account/sites/alice.example/logs'
const theirs = '/accounts/alice/sites/alice.example/logs'
const readAt = async () =>
  (await pool.query('select max(read_at)::text as at from panel.site_readings')).rows[0].at

t.test('nothing is read until someone requests it', async t => {
  t.match((await customer.get('/account/sites/alice.example')).text, `href="${own}"`)
  t.match(await customer.get(own), { status: 200, text: /Not read yet/ })
  t.equal(await readAt(), null)
  t.match(await customer.submit(`${own}/read`), { status: 303 })
  await until(readAt)
})

t.test('lines are shown, as text, to those who may see the website', async t => {
  for (const { text } of [await customer.get(own), await admin.get(theirs)]) {
    t.match(text, /\/first&quot; 200|\/first" 200/)
    t.match(text, /&lt;b(>|&gt;)bold/)
    t.notMatch(text, '<b>bold')
    t.notMatch(text, '404')
  }
  const errors = (await customer.get(`${own}?kind=errors`)).text
  t.match(errors, 'no file')
  t.notMatch(errors, '/first')
})

t.test('a filter finds lines, whatever their case', async t => {
  const { text } = await customer.get(`${own}?q=FIRST`)
  t.match(text, '/first')
  t.notMatch(text, 'bold')
  t.match((await customer.get(`${own}?q=nothing`)).text, 'No matching lines')
})

t.test('another customer neither reads nor requests them', async t => {
  t.match(await other.get(own), { status: 404 })
  t.match(await other.get(`${own}/read`), { status: 404 })
  t.not((await other.get(theirs)).status, 200)
  t.match(await other.get('/account/sites/bob.example/logs'), { status: 200, text: /Not read yet/ })
})

t.test('requests in quick succession are one', async t => {
  const before = await readAt()
  await pool.query(`update panel.site_readings set asked_at = now() - interval '1 hour'`)
  write('access.log', `${request('/second')}\n`)
  await Promise.all([1, 2, 3].map(() => admin.submit(`${theirs}/read`)))
  await until(async () => (await readAt()) !== before)
  t.match((await admin.get(theirs)).text, '/second')
})

t.test('the command reads the files themselves', async t => {
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
  const logsOf = (...words: string[]) => callPanel(['site', 'logs', ...words], environment)
  write('access.log', `${request('/third')}\n\x1b[31m red\n`)
  t.match(await logsOf('alice', 'alice.example'), { code: 0, stdout: /third.*\n\[31m red\n$/ })
  t.strictSame((await logsOf('alice', 'alice.example', '--filter', 'x', '--json')).json(), {
    lines: [],
  })
  t.match(await logsOf('bob', 'alice.example'), { code: 1, stderr: /Unknown website/ })
  for (const lines of ['0', '10001', 'x']) {
    t.equal((await logsOf('alice', 'alice.example', '--lines', lines)).code, 2)
  }
})

t.test('lines are deleted an hour after they were requested', async t => {
  await pool.query(`update panel.site_readings set asked_at = now() - interval '2 hours'`)
  await pool.query('select panel.purge(100)')
  t.equal(await readAt(), null)
})
