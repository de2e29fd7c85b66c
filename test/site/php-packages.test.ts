import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// Packages limit the versions of PHP, the first of which is their default, time and extensions.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const command = (...words: string[]) => callPanel(words, environment)
const at = (path: string) => join(panel.root, path)
const program = (version: string) => at(`usr/sbin/php-fpm${version}`)

for (const version of ['8.1', '8.2', '8.4']) {
  const modules = `etc/php/${version}/mods-available`
  for (const folder of ['usr/sbin', `etc/php/${version}/fpm/conf.d`, modules])
    mkdirSync(at(folder), { recursive: true })
  writeFileSync(program(version), '')
  writeFileSync(at(`${modules}/gd.ini`), 'extension=gd.so\n')
}
const limit = (name: string, body: object) =>
  panel.call('PUT', `/api/v1/packages/${name}`, { body })
const initial = { memory_mb: 256, php_allowed: [], php_execution_seconds: 300 }
await limit('starter', initial)
await limit('old', { php_allowed: ['8.1', '8.2'], php_execution_seconds: 60 })
const created = await panel.call('POST', '/api/v1/accounts', { body: alice })
if (created.status !== 201) throw new Error(created.text)
const { rows } = await panel.pool.query(
  'select a.uid, s.id from panel.accounts a join panel.sites s on s.account_id = a.id',
)
const folder = `etc/panel/php/${rows[0].uid}/${rows[0].id}`
const { token } = await createToken(panel.pool, {
  ...{ owner: 'admin', name: 'Sites', permission: 'Sites' },
})
const path = `/api/v1/accounts/alice/sites/${alice.domain}`
const set = (php: object | null) => panel.call('PATCH', path, { token, body: { php } })
const change = (name: string) =>
  panel.call('PUT', '/api/v1/accounts/alice/package', { body: { package: name } })
const warnings = async (): Promise<string> =>
  (await panel.call('GET', '/api/v1/accounts/alice')).body.warnings.join()
const runs = (): string | undefined =>
  existsSync(at(folder)) ? readlinkSync(at(`${folder}/php-fpm`)).slice(17) : undefined
const pool = () => readFileSync(at(`${folder}/pool.conf`), 'utf8')

t.test('a website runs the default of its package, and its account’s PHP without one', async t => {
  t.equal(runs(), undefined)
  t.equal((await change('old')).status, 200)
  t.equal(runs(), '8.1')
  t.match(pool(), /^php_value\[max_execution_time\] = 60$/m)
  t.match(pool(), /^request_terminate_timeout = 60s$/m)
  t.match((await command('php', 'ls', '--json')).json().versions, [
    { version: '8.4', websites: 0 },
    { version: '8.2', websites: 0 },
    { version: '8.1', websites: 1 },
  ])
  t.equal((await command('php', 'default', '8.1')).code, 0)
  t.ok(await until(() => runs() === undefined), 'the server’s default is the same')
  t.equal((await command('php', 'default', 'newest')).code, 0)
  t.ok(await until(() => runs() === '8.1'))
  t.equal((await change('starter')).status, 200)
  t.equal(runs(), undefined)
})

t.test('settings that a package does not allow are refused, with its name', async t => {
  await limit('old', { php_extensions: false })
  await change('old')
  const refusals: [object, RegExp][] = [
    [{ version: '8.4' }, /The package old allows PHP 8\.1, 8\.2/],
    [{ max_execution_seconds: 61 }, /The package old allows requests of 60 s/],
    [{ memory_limit_mb: 600 }, /The package old allows 512 MB of memory/],
    [{ extensions: { gd: true } }, /The package old allows no choice of extensions/],
  ]
  for (const [php, words] of refusals) {
    const { status, text } = await set(php)
    t.equal(status, 400, text)
    t.match(text, words)
  }
  t.equal((await set({ version: '8.2', max_execution_seconds: 60 })).status, 200)
  t.equal(runs(), '8.2')
  await set(null)
  await change('starter')
})

t.test('settings that a changed package forbids are kept, with a warning', async t => {
  t.equal(
    (await set({ version: '8.4', memory_limit_mb: 200, extensions: { gd: true } })).status,
    200,
  )
  const forbid = { memory_mb: 64, php_allowed: ['8.2'], php_extensions: false }
  await limit('starter', forbid)
  t.ok(await until(async () => /PHP 8\.4/.test(await warnings())))
  t.match(
    await warnings(),
    'Websites keep settings of PHP that the package does not allow: ' +
      `${alice.domain} (PHP 8.4, 200 MB of memory, its own extensions)`,
  )
  t.equal(runs(), '8.4')
  t.match(pool(), /^php_value\[memory_limit\] = 64M$/m)
  const same = { version: '8.4', memory_limit_mb: 200, extensions: { gd: true } }
  t.equal((await set({ ...same, timezone: 'Europe/Berlin' })).status, 200, 'the others change')
  t.match((await set({ ...same, version: '8.1' })).text, /The package starter allows PHP 8\.2/)
  t.equal((await set({ version: null, memory_limit_mb: null, extensions: null })).status, 200)
  t.equal(await warnings(), '')
  t.equal(runs(), '8.2')
  await limit('starter', { ...initial, php_extensions: true })
  await set(null)
  t.ok(await until(() => runs() === undefined))
})

t.test(
  'a package whose versions are not installed runs the default, which doctor says',
  async t => {
    await limit('old', { php_allowed: ['8.1'], php_extensions: true })
    await change('old')
    t.equal(runs(), '8.1')
    rmSync(program('8.1'))
    t.equal((await command('ctl', 'rebuild', 'alice')).code, 0)
    t.equal(runs(), undefined)
    const doctor = await command('ctl', 'doctor', '--problems')
    t.match(doctor.stdout, /php-versions: No version that these packages allow is installed: old/)
  },
)

t.test('the command line sets the same', async t => {
  const done = await command('package', 'set', 'mine', '--php-allowed', '8.4,8.2')
  t.match(done, { code: 0, stdout: /^php_allowed +8\.4, ?8\.2$/m })
  t.match((await command('package', 'set', 'mine', '--php-allowed', 'all')).code, 0)
  t.strictSame((await panel.call('GET', '/api/v1/packages/mine')).body.php_allowed, [])
  for (const words of ['8', '8.2;', '8.2,,8.4', ''])
    t.equal((await command('package', 'set', 'mine', '--php-allowed', words)).code, 2, words)
})
