import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import t from 'tap'
import { diagnose } from '../../../src/cli/doctor/doctor.ts'
import { ensureServerKey } from '../../../src/start/server-key.ts'
import { callPanel } from '../../support/cli/run-panel.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { openLinuxPanel, run, startServices, stopNginx } from '../machine.ts'

// `panel ctl doctor` on an installed panel finds what is broken on the machine, and nothing else.

startServices('nginx', 'sshd', 'cron')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
const ask = async (method: string, path: string, body: object) => {
  const { status, text } = await panel.call(method, `/api/v1${path}`, { body })
  if (status > 201) throw new Error(`${method} ${path}: ${text}`)
}
await ask('PUT', '/packages/starter', {})
for (const username of ['alice', 'bob']) {
  await ask('POST', '/accounts', { ...alice, username, domain: `${username}.example` })
}
await ask('POST', '/accounts/bob/suspend', {})
const { rows } = await panel.pool.query('select username, uid from panel.accounts')
const uidOf = (username: string): number => rows.find(row => row.username === username).uid

const password = 'a-word-of-the-settings'
const settings = '/etc/panel/panel.env'
const stateDir = '/var/lib/panel-state'
fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 })
await ensureServerKey(`${stateDir}/key`)
const url = panel.databaseUrl.replace('//', `//panel_owner:${password}@`)
const lines = [
  `DATABASE_URL=${url}`,
  'PANEL_HOST=linux',
  `PANEL_STATE_DIR=${stateDir}`,
  `PANEL_LISTEN=${new URL(panel.baseUrl).host}`,
  'PANEL_ACME_DIRECTORY=none',
]
fs.writeFileSync(settings, `${lines.join('\n')}\n`, { mode: 0o600 })

/** The failed checks by name. */
async function sick(): Promise<Record<string, string>> {
  const { checks } = await diagnose({})
  const bad = checks.filter(({ state }) => state === 'warning' || state === 'failure')
  return Object.fromEntries(bad.map(({ name, sentence }) => [name, sentence]))
}

// Programs that this machine lacks, or has not started.
const before = await sick()

type Broken = {
  what: string
  names: Record<string, RegExp>
  broken: () => unknown
  mended: () => unknown
}

const nginx = '/etc/nginx/nginx.conf'
const sshd = '/etc/ssh/sshd_config'
const text = (path: string, change: (text: string) => string) => {
  const was = fs.readFileSync(path, 'utf8')
  return {
    broken: () => fs.writeFileSync(path, change(was)),
    mended: () => fs.writeFileSync(path, was),
  }
}
const mounted = (options: string, fill: () => void) => ({
  broken: () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'full', '/home'])
    fill()
  },
  mended: () => execFileSync('umount', ['/home']),
})
const [php = ''] = fs.globSync('/usr/sbin/php-fpm?.?')
const socket = `/run/panel/php/${uidOf('alice')}.sock`
const hooks = '/etc/panel/hooks/account.created.d'
let orphan: ReturnType<typeof spawn>

const all: Broken[] = [
  {
    what: 'nginx is stopped',
    names: {
      'services/nginx-running': /is not running/,
      'ports/http': /Nothing answers on port 80 \(ECONNREFUSED\)/,
      'ports/https': /Nothing listens on port 443/,
    },
    broken: stopNginx,
    mended: () => startServices('nginx'),
  },
  {
    what: 'another program has port 80',
    names: {
      'services/nginx-running': /is not running/,
      'ports/http': /unknown name .*is answered 404/i,
      'ports/https': /Nothing listens on port 443/,
    },
    broken: async () => {
      await stopNginx()
      orphan = spawn(process.execPath, [
        '-e',
        `require('http').createServer((q, a) => a.writeHead(404).end()).listen(80, '127.0.0.1')`,
      ])
      await until(async () => (await run('curl', ['-s', 'http://127.0.0.1/'])).code === 0)
    },
    mended: async () => {
      orphan.kill('SIGKILL')
      await until(async () => (await run('curl', ['-s', 'http://127.0.0.1/'])).code === 7)
      startServices('nginx')
    },
  },
  {
    what: 'nginx is configured by hand',
    names: { 'services/nginx-configuration': /unknown directive "nonsense"/ },
    ...text(nginx, was => `nonsense;\n${was}`),
  },
  {
    what: 'cron is stopped',
    names: { 'services/cron-running': /is not running/ },
    broken: async () => {
      const pid = Number(fs.readFileSync('/run/crond.pid', 'utf8'))
      process.kill(pid)
      await until(() => !fs.existsSync(`/proc/${pid}/stat`))
    },
    mended: () => startServices('cron'),
  },
  {
    what: 'sshd is stopped',
    names: { 'services/sshd-running': /is not running/, 'ports/ssh': /sshd does not answer/ },
    broken: async () => {
      const pid = Number(fs.readFileSync('/run/sshd.pid', 'utf8'))
      process.kill(pid)
      await until(() => !fs.existsSync('/run/sshd.pid'))
    },
    mended: () => startServices('sshd'),
  },
  {
    what: 'sshd is configured by hand',
    names: {
      'services/sshd-configuration': /Bad configuration option: nonsense/,
      'services/sftp-in-effect': /nonsense/,
    },
    ...text(sshd, was => `nonsense yes\n${was}`),
  },
  {
    what: 'sshd does not read the folder',
    names: { 'services/sftp-in-effect': /not locked in/ },
    ...text(sshd, was => was.replace(/^Include/m, '# Include')),
  },
  {
    what: 'there is no php-fpm',
    names: { 'services/php': /php-fpm is not installed/ },
    broken: () => fs.renameSync(php, '/root/php'),
    mended: () => execFileSync('mv', ['/root/php', php]),
  },
  {
    what: 'PHP does not listen',
    names: { 'services/php-sockets': /for alice/, 'drift/accounts': /alice .PHP is not running/ },
    broken: () => fs.renameSync(socket, `${socket}.away`),
    mended: () => fs.renameSync(`${socket}.away`, socket),
  },
  {
    what: 'a suspended account runs something',
    names: { 'drift/processes': /running as suspended or terminated accounts: bob/ },
    broken: async () => {
      const uid = uidOf('bob')
      orphan = spawn('setpriv', [`--reuid=${uid}`, '--clear-groups', 'sleep', '1000'])
      await until(async () => (await run('pgrep', ['-U', String(uid)])).code === 0)
    },
    mended: async () => {
      orphan.kill('SIGKILL')
      await until(async () => (await run('pgrep', ['-U', String(uidOf('bob'))])).code === 1)
    },
  },
  {
    what: 'a user is gone',
    names: { 'drift/accounts': /alice \(the user is missing\)/ },
    ...text('/etc/passwd', was => was.replace(/^alice:.*\n/m, '')),
  },
  {
    what: 'the settings are open',
    names: { 'permissions/settings': /open to others \(644\)/ },
    broken: () => fs.chmodSync(settings, 0o644),
    mended: async () => {
      const { checks } = await diagnose({}, { isFixing: true })
      t.match(
        checks.find(({ name }) => name === 'permissions/settings'),
        {
          state: 'ok',
          fixed: /chmod 640/,
        },
      )
    },
  },
  {
    what: 'a hook script is not root’s',
    names: { 'permissions/hook-scripts': /mail\.sh belongs to user 65534/ },
    broken: () => {
      fs.mkdirSync(hooks, { recursive: true })
      fs.writeFileSync(`${hooks}/mail.sh`, '#!/bin/sh\n', { mode: 0o755 })
      fs.chownSync(`${hooks}/mail.sh`, 65_534, 65_534)
    },
    mended: () => fs.rmSync(`${hooks}/mail.sh`),
  },
  {
    what: 'the disk of the homes is full',
    names: { 'disk/space-homes': /0\.0 of 0\.0 GiB free/ },
    ...mounted('size=1m', () => undefined),
  },
  {
    what: 'the disk of the homes takes no more files',
    names: { 'disk/files-homes': /0 of 20 files free/ },
    ...mounted('size=700m,nr_inodes=20', () => {
      for (let file = 0; file < 19; file++) fs.writeFileSync(`/home/${file}`, '')
    }),
  },
]

for (const { what, names, broken, mended } of all) {
  t.test(what, async t => {
    await broken()
    const found = await sick()
    t.match(found, names)
    if (!what.startsWith('the disk')) {
      const more = Object.keys(found).filter(name => !(name in before) && !(name in names))
      t.strictSame(more, [], 'and nothing else')
    }
    await mended()
    t.strictSame(Object.keys(await sick()), Object.keys(before), 'and is as before')
  })
}

t.test('healthy parts of this machine are reported as healthy', async t => {
  // No license, quota, backup or courier, and a PostgreSQL of the tests that is not durable.
  const lacks = [
    'license/',
    'quota/',
    'backups/age',
    'processes/courier',
    'database/durability',
    'drift/warnings',
  ]
  const others = ['dns/', 'services/control-groups', 'clock/']
  const isLack = (name: string) => [...lacks, ...others].some(lack => name.startsWith(lack))
  t.strictSame(
    Object.entries(before).filter(([name]) => !isLack(name)),
    [],
  )
})

t.test('the support bundle of an installed panel has no word of its settings', async t => {
  const result = await callPanel(['ctl', 'support-bundle', '--output', '/root/b.tar.gz'], {})
  t.equal(result.code, 0, result.stderr)
  const { stdout } = await run('tar', ['-xzOf', '/root/b.tar.gz'])
  t.match(stdout, /"is_installed": true/)
  t.match(stdout, /"nginx[^"]* 1\./)
  t.notMatch(stdout, password)
  t.notMatch(stdout, Buffer.from(password).toString('base64').replace(/=+$/, ''))
})
