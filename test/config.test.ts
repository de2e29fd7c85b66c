import t from 'tap'
import { ConfigError, environmentOf, readConfig } from '../src/config.ts'

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
    DATABASE_URL: 'mysql://secret5',
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

t.test('an empty setting counts as none, and other programs’ settings are not ours', async t => {
  t.equal(readConfig({ PANEL_HOST: '', PANELS: 'x', OTHER: 'y' }).host, 'sandbox')
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

t.test('the panel’s own names are those of its links and of its events', async t => {
  const given = { PANEL_BASE_URL: 'https://Panel.example:8443', PANEL_HOSTNAME: 'server.example' }
  t.strictSame(readConfig(given).ownNames, ['server.example', 'panel.example'])
})
