import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ConfigError, environmentOf, readConfig, settingNames } from '../src/config.ts'

t.test('without settings the panel listens on loopback and plays with a sandbox', async t => {
  t.match(readConfig({}), {
    databaseUrl: null,
    baseUrl: 'http://127.0.0.1:8080',
    listen: { host: '127.0.0.1', port: 8080 },
    host: 'sandbox',
    stateDir: /\.panel$/,
  })
})

t.test('links follow the address that is listened on, unless they are set', async t => {
  t.equal(readConfig({ PANEL_LISTEN: '[::1]:81' }).baseUrl, 'http://[::1]:81')
  t.equal(
    readConfig({ PANEL_BASE_URL: 'https://panel.example:8443/' }).baseUrl,
    'https://panel.example:8443',
  )
})

t.test('every bad and every unknown setting is named, and no value is shown', async t => {
  const settings = {
    PANEL_LISTEN: 'nowhere secret1',
    PANEL_HOST: 'secret2',
    PANEL_STATE_DIR: 'relative/secret3',
    PANEL_HOTS: 'secret4',
    PANEL_WEBHOOK_ALLOW: '10.0.0.0/8, secret5',
    DATABASE_URL: 'mysql://secret6',
  }
  t.throws(() => readConfig(settings), ConfigError)
  try {
    readConfig(settings)
  } catch (error) {
    const { message } = error as Error
    for (const name of Object.keys(settings)) t.match(message, name)
    t.notMatch(message, /secret/)
  }
})

t.test('webhooks reach loopback under panel start, and what is opened to them else', async t => {
  t.strictSame(readConfig({}).webhookAllow, [])
  t.strictSame(readConfig({ PANEL_WEBHOOK_ALLOW: 'none' }).webhookAllow, [])
  t.strictSame(readConfig({ PANEL_WEBHOOK_ALLOW: '10.0.0.0/8, fd00::/8' }).webhookAllow, [
    '10.0.0.0/8',
    'fd00::/8',
  ])
  const started = (given: Record<string, string>) =>
    readConfig(environmentOf(readConfig(given), given)).webhookAllow
  t.strictSame(started({}), ['127.0.0.0/8', '::1/128'])
  t.strictSame(started({ PANEL_WEBHOOK_ALLOW: 'none' }), [])
  t.strictSame(started({ PANEL_WEBHOOK_ALLOW: '10.0.0.0/8' }), ['10.0.0.0/8'])
})

t.test('websites get certificates on a real machine, elsewhere where it is asked for', async t => {
  const directory = 'https://ca.example/directory'
  const of = (settings: Record<string, string>) => readConfig(settings).certificates
  t.strictSame(of({}), { directory: null, addresses: null, resolver: null })
  t.match(of({ PANEL_HOST: 'linux' }), { directory: /^https:.*letsencrypt/ })
  t.match(of({ PANEL_HOST: 'linux', PANEL_ACME_DIRECTORY: 'none' }), { directory: null })
  t.strictSame(
    of({
      PANEL_ACME_DIRECTORY: directory,
      PANEL_ADDRESSES: '192.0.2.1, 2001:db8::1',
      PANEL_RESOLVER: '192.0.2.53,[2001:db8::53]:5353,127.0.0.1:8053',
    }),
    {
      directory,
      addresses: ['192.0.2.1', '2001:db8::1'],
      resolver: ['192.0.2.53', '[2001:db8::53]:5353', '127.0.0.1:8053'],
    },
  )
  const bad = {
    PANEL_ACME_DIRECTORY: 'http://ca.example/',
    PANEL_ADDRESSES: '192.0.2.300',
    PANEL_RESOLVER: '192.0.2.300',
  }
  for (const [name, value] of Object.entries(bad)) {
    t.throws(() => readConfig({ [name]: value }), new RegExp(name), name)
  }
})

t.test('an empty setting counts as none, and other programs’ settings are not ours', async t => {
  t.equal(readConfig({ PANEL_HOST: '', PANELS: 'x', OTHER: 'y' }).host, 'sandbox')
})

t.test('the development license counts where it is asked for, and on loopback only', async t => {
  const counts = (PANEL_LISTEN: string) =>
    readConfig({ PANEL_LISTEN, PANEL_DEVELOPMENT: 'yes' }).license.isDevelopment
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '[::1]'])
    t.ok(counts(`${host}:80`), host)
  for (const host of ['0.0.0.0', '192.0.2.1', '[::]', '[2001:db8::1]', 'panel.example']) {
    t.notOk(counts(`${host}:80`), host)
  }
  t.notOk(readConfig({}).license.isDevelopment)
})

t.test('a child process gets the same settings and nothing else', async t => {
  const given = {
    PATH: '/bin',
    PANEL_LISTEN: '127.0.0.1:0',
    PANEL_HOSTNAME: 'server.example',
    AWS_SECRET: 'x',
  }
  const config = { ...readConfig(given), databaseUrl: 'postgresql://x/panel' }
  const passed = environmentOf({ ...config, listen: { host: '127.0.0.1', port: 81 } }, given)
  t.match(passed, {
    PATH: '/bin',
    DATABASE_URL: 'postgresql://x/panel',
    PANEL_LISTEN: '127.0.0.1:81',
    PANEL_HOSTNAME: 'server.example',
  })
  t.notHas(passed, 'AWS_SECRET')
  t.equal(readConfig(passed).serverName, 'server.example')
})

t.test('no proxy is trusted about a caller’s address, unless named', async t => {
  t.match(readConfig({}), { socket: null, trustedProxies: [] })
  const trusted = (PANEL_TRUSTED_PROXIES: string) => readConfig({ PANEL_TRUSTED_PROXIES })
  t.strictSame(
    trusted('192.0.2.1, 2001:DB8::/32  ::ffff:198.51.100.0/120,10.0.0.0/8').trustedProxies,
    ['192.0.2.1/32', '2001:db8::/32', '198.51.100.0/24', '10.0.0.0/8'],
  )
  const wrong = ['localhost', '192.0.2.1/24', '192.0.2.1,', '0.0.0.0/0', '::/0', '10.0.0.0/8;', '*']
  for (const value of wrong) {
    t.throws(
      () => trusted(value),
      { message: /^PANEL_TRUSTED_PROXIES must be a list such as/ },
      value,
    )
    try {
      trusted(value)
    } catch (error) {
      t.notMatch((error as Error).message.replace(/ as .*$/, ''), value.slice(0, 8), value)
    }
  }
})

t.test('a Unix socket is for an installed panel', async t => {
  const given = { PANEL_SOCKET: '/run/panel/api.sock', PANEL_DEVELOPMENT: 'yes' }
  t.match(readConfig(given), { socket: '/run/panel/api.sock', license: { isDevelopment: false } })
  t.equal(readConfig(environmentOf(readConfig(given), given)).socket, null, 'not for panel start')
  for (const path of ['run/api.sock', `/${'x'.repeat(107)}`]) {
    t.throws(() => readConfig({ PANEL_SOCKET: path }), { message: /^PANEL_SOCKET must / })
  }
})

t.test('the panel’s own names are those of its links and of its events', async t => {
  const given = { PANEL_BASE_URL: 'https://Panel.example:8443', PANEL_HOSTNAME: 'server.example' }
  t.strictSame(readConfig(given).ownNames, ['server.example', 'panel.example'])
})

t.test('only root’s own panel reads hook scripts in /etc, unless configured', async t => {
  const hooksDir = process.getuid!() === 0 ? '/etc/panel/hooks' : '/x/hooks'
  t.equal(readConfig({ PANEL_STATE_DIR: '/x' }).hooksDir, hooksDir)
  t.equal(readConfig({ PANEL_HOOKS_DIR: '/y' }).hooksDir, '/y')
})

t.test('a hook script’s variables are no settings, also of a panel that it starts', async t => {
  const given = { PANEL_EVENT: 'account.created', PANEL_EVENT_ID: 'x', PANEL_HOOKS_DIR: '/y' }
  const passed = environmentOf(readConfig(given), given)
  t.notHas(passed, 'PANEL_EVENT')
  t.notHas(passed, 'PANEL_EVENT_ID')
  t.match(passed, { PANEL_HOOKS_DIR: '/y' })
})

t.test('the time after which PHP ends is named and refused where it makes no sense', async t => {
  const of = (text: string) => readConfig({ PANEL_PHP_IDLE: text }).phpIdleMs
  t.equal(readConfig({}).phpIdleMs, 600_000)
  t.strictSame(
    ['10', '30s', '5m', '24h', '086400'].map(of),
    [10_000, 30_000, 300_000, 86_400_000, 86_400_000],
  )
  for (const text of [
    '0',
    '9s',
    '25h',
    '86401',
    '9'.repeat(400),
    '-10',
    '1.5m',
    '10 m',
    '1d',
    'm',
  ]) {
    t.throws(() => of(text), { name: 'ConfigError', message: /^PANEL_PHP_IDLE must / }, text)
  }
})

t.test('the variables that the reference exports are settings, or none of ours', async t => {
  const folder = join(import.meta.dirname, '../docs/reference')
  const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  const names = new Set(texts.flatMap(text => text.match(/\bPANEL_[A-Z_]+/g) ?? []))
  t.ok(names.has('PANEL_WEBHOOK_SECRET') && names.size > 15)
  const secret = { PANEL_WEBHOOK_SECRET: 'hush', PANEL_TOKEN: 'pnl_hush', PANEL_EVENT: 'hush' }
  for (const name of [...names, ...Object.keys(secret)].filter(
    one => !settingNames.includes(one),
  )) {
    t.strictSame(readConfig({ [name]: 'x' }), readConfig({}), name)
  }
  t.notMatch(JSON.stringify(environmentOf(readConfig(secret), secret)), 'hush')
  t.throws(
    () => readConfig({ PANEL_WEBHOOK_SECRETS: 'x' }),
    /unknown setting PANEL_WEBHOOK_SECRETS/,
  )
  t.equal(readConfig({ PANEL_WEBHOOK_CA: '/etc/ca.pem' }).webhookCa, '/etc/ca.pem')
  for (const path of ['ca.pem', '/etc/\u0007', './ca']) {
    t.throws(() => readConfig({ PANEL_WEBHOOK_CA: path }), /^PANEL_WEBHOOK_CA /)
  }
})
