import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { environmentOfCommands, findNewPanel, findPanel } from '../../src/cli/find-panel.ts'
import { installationDir } from '../../src/config.ts'
import { postgresPaths } from '../../src/start/postgres-paths.ts'
import { scratch } from '../support/scratch.ts'
import { callPanel } from '../support/cli/run-panel.ts'

const missing = '/nonexistent/panel.env'

// A settings file of an installed panel.
function installed(t: Test, text: string, mode = 0o640): string {
  const file = join(scratch(t), 'panel.env')
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

t.test('finds what panel start runs by its state directory, else by the checkout', async t => {
  const stateDir = scratch(t)
  const found = findPanel({ PANEL_STATE_DIR: stateDir }, missing)
  const socket = encodeURIComponent(join(stateDir, 'socket'))
  t.equal(found.databaseUrl, `postgresql://${socket}:5432/panel?sslmode=disable`)
  t.equal(found.license.file, join(stateDir, 'license'))

  const own = findPanel({ DATABASE_URL: 'postgresql://db.example/panel' }, missing)
  t.equal(own.databaseUrl, 'postgresql://db.example/panel')
  t.equal(own.config.stateDir, join(installationDir, '.panel'))
})

t.test('uses the running panel’s settings, unless its caller overrides them', async t => {
  const stateDir = scratch(t)
  const reported = {
    PANEL_STATE_DIR: stateDir,
    PANEL_LISTEN: '127.0.0.1:9099',
    DATABASE_URL: 'postgresql://db.example/panel',
    SECRET: 'x',
  }
  const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], ...reported } })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'spawn')
  writeFileSync(join(stateDir, 'lock'), `${child.pid}\n`)
  const found = (more = {}) => findPanel({ PANEL_STATE_DIR: stateDir, ...more }, missing)
  t.match(found(), {
    databaseUrl: reported.DATABASE_URL,
    config: { listen: { port: 9099 }, baseUrl: 'http://127.0.0.1:9099', stateDir },
  })
  t.match(found({ PANEL_LISTEN: '127.0.0.1:9098' }).config.listen, { port: 9098 })
  t.match(found({ PANEL_LISTEN: '' }).config.listen, { port: 9099 }, 'empty says nothing')

  // The process number of a panel that has ended may be another's by now.
  const other = scratch(t)
  writeFileSync(join(other, 'lock'), `${child.pid}\n`)
  const { config } = findPanel({ PANEL_STATE_DIR: other }, missing)
  t.match(config, { databaseUrl: null, listen: { port: 8080 } })
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.equal(found().config.databaseUrl, null)
})

t.test('finds an installed panel by its file, and by nothing that the caller has set', async t => {
  const stateDir = scratch(t)
  const file = installed(
    t,
    `# the panel\n\nPANEL_STATE_DIR=${stateDir}\n DATABASE_URL="postgresql:///panel"\n` +
      `PANEL_LICENSE='/etc/panel/license'\nPANEL_DEVELOPMENT=yes\n`,
  )
  const found = findPanel({ DATABASE_URL: 'postgresql://other/panel' }, file)
  t.match(found, { databaseUrl: 'postgresql:///panel', starter: 'PostgreSQL' })
  t.match(found.license, { file: '/etc/panel/license', isDevelopment: false })
})

t.test('makes the state directory of a panel that is to be made', async t => {
  const [started, stateDir] = [join(scratch(t), 'new'), join(scratch(t), 'new')]
  const file = installed(t, `PANEL_STATE_DIR=${stateDir}\nDATABASE_URL=postgresql:///panel\n`)
  t.match(findNewPanel({}, file), { isInstalled: true, config: { stateDir } })
  t.match(findNewPanel({ PANEL_STATE_DIR: started }, file), { isInstalled: false })
  for (const path of [started, stateDir]) t.equal(statSync(path).mode & 0o777, 0o700)
  chmodSync(stateDir, 0o751)
  findNewPanel({}, file)
  t.equal(statSync(stateDir).mode & 0o777, 0o751, 'and leaves one as it is')
})

t.test('a state directory that is named means the panel that it belongs to', async t => {
  const stateDir = scratch(t)
  const file = installed(t, 'DATABASE_URL=postgresql:///installed\n')
  t.match(findPanel({ PANEL_STATE_DIR: stateDir }, file).databaseUrl, encodeURIComponent(stateDir))
})

t.test('names what is wrong with the settings of an installed panel', async t => {
  for (const [text, message] of [
    [
      'PANEL_HOTS=linux\nDATABASE_URL=postgresql:///panel',
      /panel\.env: unknown setting PANEL_HOTS/,
    ],
    ['SECRET=x', /panel\.env, line 1: unknown setting SECRET$/],
    ['DATABASE_URL=mysql://secret', /panel\.env: DATABASE_URL must be a postgresql/],
    ['PANEL_HOST=linux', /panel\.env: DATABASE_URL is required/],
    ['export PANEL_HOST=linux', /panel\.env, line 1: is not NAME=value/],
  ] as const) {
    t.throws(() => findPanel({}, installed(t, text)), { name: 'ConfigError', message })
  }
  const writable = installed(t, 'DATABASE_URL=postgresql:///panel', 0o666)
  t.throws(() => findPanel({}, writable), {
    code: 'forbidden',
    message: /is writable by users other than root/,
  })
})

t.test('refuses a state directory that is not ours alone to write', async t => {
  const stateDir = scratch(t)
  chmodSync(stateDir, 0o770)
  const open = await callPanel(['token', 'ls'], { PANEL_STATE_DIR: stateDir })
  t.match(open, { code: 1, stdout: '', stderr: /is writable by others/ })
  // Only root can change an owner.
  if (process.getuid?.() === 0) {
    chmodSync(stateDir, 0o700)
    chownSync(stateDir, 65_534, 65_534)
    const foreign = await callPanel(['token', 'ls'], { PANEL_STATE_DIR: stateDir })
    t.match(foreign, { code: 1, stdout: '', stderr: /belongs to another user/ })
    chownSync(stateDir, 0, 0)
  }
})

t.test('refuses a socket that another user could serve', async t => {
  const stateDir = join(scratch(t), 'x'.repeat(100))
  mkdirSync(stateDir, { mode: 0o700 })
  const { shortDir = '' } = postgresPaths(stateDir)
  mkdirSync(shortDir)
  t.teardown(() => rmSync(shortDir, { recursive: true }))
  chmodSync(shortDir, 0o777)
  t.throws(() => findPanel({ PANEL_STATE_DIR: stateDir }, missing), { code: 'forbidden' })
  chmodSync(shortDir, 0o700)
  t.match(findPanel({ PANEL_STATE_DIR: stateDir }, missing).databaseUrl, 'panel-')
})

t.test('says what is down', async t => {
  const stateDir = scratch(t)
  const environments = [
    { PANEL_STATE_DIR: join(stateDir, 'nothing') },
    { PANEL_STATE_DIR: stateDir },
    { PANEL_STATE_DIR: stateDir, DATABASE_URL: 'postgresql://panel:secret1@127.0.0.1:1/panel' },
  ]
  for (const environment of environments) {
    const result = await callPanel(['account', 'ls', '--json'], environment)
    t.match(result, { code: 1, stdout: '', stderr: /is panel start running\?"/ })
    t.notMatch(result.stderr, /secret1|\n./)
  }
})

t.test('a database without a panel is none of ours', async t => {
  const url = new URL(process.env['PANEL_TEST_POSTGRES'] ?? '')
  url.pathname = '/postgres'
  const environment = { PANEL_STATE_DIR: scratch(t), DATABASE_URL: url.href }
  const result = await callPanel(['account', 'ls'], environment)
  t.match(result, { code: 1, stdout: '', stderr: /does not contain the schema of this release/ })
})

t.test('names a bad setting and ends with 2', async t => {
  const result = await callPanel(['account', 'ls'], { PANEL_STATE_DIR: 'relative' })
  t.match(result, { code: 2, stdout: '', stderr: /PANEL_STATE_DIR must be an absolute path/ })
})

t.test('a process has its commands find its own panel, whatever else is installed', async t => {
  const stateDir = scratch(t)
  const own = installed(t, `DATABASE_URL=postgresql:///panel\nPANEL_STATE_DIR=${stateDir}\n`)
  t.strictSame(environmentOfCommands(stateDir, own), {})
  const others = [
    missing,
    installed(t, 'DATABASE_URL=postgresql:///panel\n'),
    installed(t, 'nothing\n'),
    installed(t, 'PANEL_HOST=moon\n'),
    installed(t, '', 0o666),
  ]
  for (const file of others) {
    t.strictSame(environmentOfCommands(stateDir, file), { PANEL_STATE_DIR: stateDir }, file)
  }
})
