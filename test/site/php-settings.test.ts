import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'

// PHP settings of a website, by the API and the command line.

const panel = await openPanel(t)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const call = (...words: string[]) => callPanel(words, environment)
const at = (path: string) => join(panel.root, path)

for (const version of ['8.1', '8.2']) {
  for (const folder of [
    'usr/sbin',
    `etc/php/${version}/fpm/conf.d`,
    `etc/php/${version}/mods-available`,
  ])
    mkdirSync(at(folder), { recursive: true })
  writeFileSync(at(`usr/sbin/php-fpm${version}`), '')
  writeFileSync(at(`etc/php/${version}/mods-available/gd.ini`), 'extension=gd.so\n')
  writeFileSync(at(`etc/php/${version}/fpm/conf.d/20-gd.ini`), '')
}
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 256 } })
await panel.call('PUT', '/api/v1/packages/small', { body: { memory_mb: 64 } })
const created = await panel.call('POST', '/api/v1/accounts', { body: alice })
if (created.status !== 201) throw new Error(created.text)
const { rows } = await panel.pool.query(
  'select a.uid, s.id from panel.accounts a join panel.sites s on s.account_id = a.id',
)
const folder = `etc/panel/php/${rows[0].uid}/${rows[0].id}`
const path = `/api/v1/accounts/alice/sites/${alice.domain}`
const { token } = await createToken(panel.pool, {
  ...{ owner: 'admin', name: 'Sites', permission: 'Sites' },
})
const read = async () => (await panel.call('GET', path, { token })).body.php
const set = (php: object | null) => panel.call('PATCH', path, { token, body: { php } })
const pool = () => readFileSync(at(`${folder}/pool.conf`), 'utf8')
const value = (name: string) =>
  new RegExp(`^php_(?:value|flag)\\[${name}\\] = (.*)$`, 'm').exec(pool())?.[1]

const defaults = {
  ...{ version: null, memory_limit_mb: null, upload_max_mb: 128, post_max_mb: 128 },
  ...{ max_execution_seconds: 300, max_input_vars: 5000, display_errors: null, timezone: null },
  extensions: {},
}

t.test('a website without settings shows the defaults and has no PHP of its own', async t => {
  t.strictSame(await read(), defaults)
  t.notOk(existsSync(at(folder)))
})

t.test('every setting reaches the configuration, and null restores its default', async t => {
  const php = {
    ...{ version: '8.1', memory_limit_mb: 200, upload_max_mb: 20, post_max_mb: 25 },
    ...{ max_execution_seconds: 60, max_input_vars: 1000, display_errors: true },
    ...{ timezone: 'Europe/Berlin', extensions: { gd: false } },
  }
  const changed = await set(php)
  t.equal(changed.status, 200, changed.text)
  t.strictSame(changed.body.php, php)
  t.equal(readlinkSync(at(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.1')
  const expected = {
    ...{ memory_limit: '200M', upload_max_filesize: '20M', post_max_size: '25M' },
    ...{ max_execution_time: '60', max_input_vars: '1000', display_errors: 'on' },
    'date.timezone': 'Europe/Berlin',
  }
  for (const [name, text] of Object.entries(expected)) t.equal(value(name), text, name)
  const some = await set({ version: null, timezone: null, extensions: { gd: null } })
  const rest = { ...php, version: null, timezone: null, extensions: {} }
  t.strictSame(some.body.php, rest)
  t.equal(readlinkSync(at(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.2')
  t.equal(value('date.timezone'), undefined)
  t.strictSame((await set(null)).body.php, defaults)
  t.notOk(existsSync(at(dirname(folder))))
})

t.test('a website with only defaults has no PHP of its own', async t => {
  t.equal((await set({ upload_max_mb: 128, timezone: null, extensions: {} })).status, 200)
  t.notOk(existsSync(at(folder)))
})

t.test('the package, nginx and the grammar limit the settings', async t => {
  const refusals: [object, RegExp][] = [
    [{ memory_limit_mb: 257 }, /The package starter allows 256 MB of memory/],
    [{ upload_max_mb: 200 }, /post_max_mb \(128\) must be at least upload_max_mb \(200\)/],
    [{ post_max_mb: 513 }, /from 1 to 512/],
    [{ max_execution_seconds: 301 }, /from 1 to 300/],
    [{ version: '8.3' }, /PHP 8\.3 is not installed; installed: 8\.2, 8\.1/],
    [{ version: '../8.2' }, /version of PHP/],
    [{ extensions: { evil: true } }, /PHP 8\.2 has no extension evil/],
    [{ extensions: { '../gd': true } }, /php\.extensions/],
    [{ timezone: 'Europe/Berlin\nextension=x' }, /time zone/],
    [{ timezone: 'Mars/Olympus' }, /time zone/],
    [{ display_errors: 'on' }, /true or false/],
    [{ memory_limit_mb: '128M' }, /whole number/],
    [{ open_basedir: '/' }, /open_basedir/],
  ]
  for (const [php, words] of refusals) {
    const answer = await set(php)
    t.equal(answer.status, 400, answer.text)
    t.match(answer.text, words)
  }
  t.strictSame(await read(), defaults)
  t.notOk(existsSync(at(folder)))
})

t.test('a smaller package lowers the memory of a website too', async t => {
  await set({ memory_limit_mb: 200 })
  const { status, text } = await panel.call('PUT', '/api/v1/accounts/alice/package', {
    body: { package: 'small' },
  })
  t.equal(status, 200, text)
  t.equal(value('memory_limit'), '64M')
  t.match((await set({ memory_limit_mb: 65 })).text, /The package small allows 64 MB/)
  await panel.call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'starter' } })
  t.equal(value('memory_limit'), '200M')
  await set(null)
})

t.test('a change that PHP refuses is undone', async t => {
  await set({ version: '8.1' })
  const before = pool()
  const tool = at('usr/local/sbin/php-fpm8.2')
  mkdirSync(dirname(tool), { recursive: true })
  writeFileSync(tool, '#!/bin/sh\nexit 78\n')
  chmodSync(tool, 0o755)
  t.equal((await set({ version: '8.2', memory_limit_mb: 100 })).status, 500)
  t.equal(pool(), before)
  t.equal(readlinkSync(at(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.1')
  t.equal((await read()).version, '8.1')
  writeFileSync(tool, '#!/bin/sh\n')
  await set(null)
})

t.test('the command line sets the same, and shows it', async t => {
  const site = ['site', 'set', 'alice', alice.domain]
  const options = ['--php-version', '8.1', '--php-memory', '128', '--php-extension', 'gd=off']
  const done = await call(...site, ...options, '--php-display-errors', 'yes')
  t.equal(done.code, 0, done.stderr)
  t.match(done.stdout, /version: 8\.1.*memory: 128 MB.*gd: off/s)
  t.equal(value('display_errors'), 'on')
  const { versions } = (await call('php', 'ls', '--json')).json()
  t.match(versions[1], { version: '8.1', accounts: 1, websites: 1 })
  t.equal(
    (await call(...site, '--php-version', 'default', '--php-extension', 'gd=default')).code,
    0,
  )
  t.equal(readlinkSync(at(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.2')
  t.equal((await call('php', 'default', '8.1')).code, 0)
  t.equal(readlinkSync(at(`${folder}/php-fpm`)), '/usr/sbin/php-fpm8.1', 'it follows the default')
  t.equal((await call('php', 'default', 'newest')).code, 0)
  t.equal((await call(...site, '--php-reset')).code, 0)
  t.notOk(existsSync(at(folder)))
  for (const words of [
    ['--php-memory', '128M'],
    ['--php-extension', 'gd'],
    ['--php-version', '8'],
    ['--php-timezone', 'Mars/Olympus'],
  ])
    t.equal((await call(...site, ...words)).code, 2, words.join(' '))
})
