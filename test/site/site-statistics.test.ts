import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// Statistics of a website, with a program in the place of GoAccess, which the machine suite runs.

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
const line = (path: string, agent = 'a browser') =>
  `192.0.2.7 - - [26/Nov/2026:22:14:03 +0000] "GET ${path} HTTP/1.1" 200 6 "-" "${agent}"\n`
const write = (name: string, text: string) =>
  writeFileSync(join(logs, `alice.example.access.log${name}`), text, 'latin1')

const row = (data: string, hits: number, more = {}) => ({
  ...{ hits: { count: hits }, visitors: { count: 2 }, bytes: { count: 3_000_000 }, data },
  ...more,
})
const report = (pages: object[]) => ({
  general: { valid_requests: 1_234, unique_visitors: 56, bandwidth: 7_000_000, log_path: [] },
  visitors: { data: [row('20261126', 30), row('20261125', 7)] },
  requests: { data: pages },
  not_found: { data: [row('/missing', 3)] },
  browsers: { data: [row('Firefox', 9)] },
  status_codes: {
    data: [row('2xx Success', 9, { items: [row('200 - OK: It was successful', 9)] })],
  },
})
const program = join(root, 'usr/local/sbin/goaccess')
const [given, output] = [join(root, 'given'), join(root, 'output')]
function install(text: string): void {
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(output, text)
  writeFileSync(program, `#!/bin/sh\ncat >${given}\ncat ${output}\n`)
  chmodSync(program, 0o755)
}

const customer = await signInAs(panel, 'alice')
const other = await signInAs(panel, 'bob')
const admin = await signIn(panel)
const own = '/account/sites/alice.example/statistics'
const theirs = '/accounts/alice/sites/alice.example/statistics'
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(root) }
const command = (...words: string[]) =>
  callPanel(['site', 'statistics', 'alice', 'alice.example', ...words], environment)
async function compute(): Promise<string> {
  await pool.query(`update panel.site_readings set asked_at = now() - interval '1 minute'`)
  await pool.query(`update panel.site_readings set read_at = null, content = null`)
  t.match(await customer.submit(`${own}/read`), { status: 303 })
  await until(async () => {
    const { rows } = await pool.query('select from panel.site_readings where read_at is not null')
    return rows.length > 0
  })
  return (await customer.get(own)).text
}

t.test('without GoAccess, page and command say what to install', async t => {
  t.match((await customer.get('/account/sites/alice.example')).text, `href="${own}"`)
  t.match(await customer.get(own), { status: 200, text: /Not computed yet/ })
  t.match(await compute(), /GoAccess, which is not installed[^<]*: apt-get install goaccess/)
  const { code, stderr } = await command()
  t.equal(code, 1)
  t.match(stderr, /apt-get install goaccess/)
})

t.test('a website without requests has none', async t => {
  install('no report')
  t.match(await compute(), 'No requests yet')
})

t.test('GoAccess gets only lines in the combined format, of both logs', async t => {
  write('.1', line('/former'))
  const bad = [
    'garbage\n',
    `\0\x1b[31m\n`,
    line('/a"b'),
    line('/\x80'),
    line(`/${'x'.repeat(5_000)}`),
    line('/tab\t'),
    line('/bad-status').replace(' 200 ', ' 999 '),
  ]
  write('', [line('/current?a=1', '<b>'), ...bad, line('/last')].join(''))
  install(JSON.stringify(report([row('/current', 9)])))
  await compute()
  const expected = [line('/former'), line('/current?a=1', '<b>'), line('/last')].join('')
  t.equal(readFileSync(given, 'latin1'), expected)
})

t.test('the report is shown as text, to those who may see the website', async t => {
  const long = `/${'long'.repeat(1_000)}`
  const pages = [row('/<script>alert(1)</script>', 9), row(long, 8), row('/\x1b[31m\ud800', 7)]
  install(JSON.stringify(report(pages)))
  const mine = await compute()
  for (const text of [mine, (await admin.get(theirs)).text]) {
    t.match(text, '1,234')
    t.match(text, /\/&lt;script(>|&gt;)alert/)
    t.notMatch(text, '<script>alert')
    t.notMatch(text, 'long'.repeat(60))
    t.notMatch(text, '\x1b')
    t.match(text, '2026-11-25')
    t.match(text, '200 OK<')
    t.match(text, '6.7 MB')
  }
  const { code, stdout } = await command()
  t.equal(code, 0)
  t.match(stdout, /DAY +REQUESTS[^]*2026-11-25 +7 [^]*all +1234[^]*PATH NOT FOUND[^]*\/missing +3/)
  t.notMatch(stdout, '\x1b[31m')
  t.match((await command('--json')).json(), { hits: 1_234, days: [{ date: '2026-11-25' }, {}] })
})

t.test('another customer neither sees nor requests them', async t => {
  t.match(await other.get(own), { status: 404 })
  t.match(await other.get(`${own}/read`), { status: 404 })
  t.not((await other.get(theirs)).status, 200)
})

t.test('a report that is none is refused', async t => {
  for (const text of ['', '{', '{}', '[]', JSON.stringify({ ...report([]), requests: 7 })]) {
    install(text)
    t.match(await compute(), 'GoAccess could not evaluate the log', text)
  }
  writeFileSync(program, '#!/bin/sh\nexit 1\n')
  t.match(await compute(), 'GoAccess could not evaluate the log')
  t.match(await command(), { code: 1, stderr: /could not evaluate/ })
  rmSync(program)
})

t.test('requests in quick succession are one, and results are deleted after an hour', async t => {
  const readAt = async () =>
    (await pool.query('select read_at::text as at from panel.site_readings')).rows[0]?.at
  const before = await readAt()
  await admin.submit(`${theirs}/read`)
  t.equal(await readAt(), before)
  await pool.query(`update panel.site_readings set asked_at = now() - interval '2 hours'`)
  await pool.query('select panel.purge(100)')
  t.equal(await readAt(), undefined)
})
