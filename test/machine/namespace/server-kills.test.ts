import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import t, { type Test } from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../../support/web/signed-in.ts'
import { expectPage, run, startServices } from '../machine.ts'
import { addVersion } from '../php-versions.ts'
import { isExecuted, killInTools, killsIn, openStagedPanel, plan, uidOf } from '../plans.ts'

// The worker is killed at each step of every operation of the server: before it, after it, and in
// each tool that it runs. The next worker completes the operation, and websites answer.

startServices('nginx')
addVersion()
// There is no systemd to start services with: this one starts cron by its program.
writeFileSync(
  '/usr/local/sbin/systemctl',
  '#!/bin/sh\n[ "$1 $3" != "start cron.service" ] || pgrep -x cron >/dev/null || cron\n',
  { mode: 0o755 },
)
const panel = await openStagedPanel(t)
const stateDir = dirname(panel.root)
const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: stateDir }
const call = async (words: string[], input?: string) => {
  const { code, stderr } = await callPanel(words, environment, input)
  return { code, stderr }
}
const admin = await signIn(panel)
await panel.call('POST', '/api/v1/accounts', { body: alice })
const uid = uidOf('alice')
await expectPage(alice.domain, '/', /^200 /)

// Operations are undone after six interruptions; here some have more.
const forget = setInterval(() => {
  const isInterrupted = `state in ('running', 'undoing') and starts > 1`
  void panel.pool.query(`update panel.operations set starts = 1 where ${isInterrupted}`)
}, 100)
t.teardown(() => clearInterval(forget))

const passphrase = 'a long passphrase of hers'
const asked = ['--passphrase-stdin']
const lastOf = (names: string[]) =>
  names
    .toSorted()
    .slice(-1)
    .map(n => `${stateDir}/backups/${n}`)

/** Mends the server from its page; the form does not wait for work that is interrupted. */
async function mend(remedy: string, fields: Record<string, string> = {}) {
  const sent = await admin.submit(`/server/remedies/${remedy}`, fields)
  if (sent.status !== 303) return { code: sent.status, stderr: sent.text }
  const last = await until(async () => {
    const { rows } = await panel.pool.query<{ state: string; status: number; error: string }>(
      `select state, status, error from panel.operations
       where lane = 0 and session_id is not null order by arrival desc limit 1`,
    )
    return ['done', 'failed'].includes(rows[0]!.state) && rows[0]
  })
  return { code: last?.status === 200 ? 0 : 1, stderr: JSON.stringify(last) }
}

type Case = {
  steps: string[]
  /** The tools that the steps run, in part. */
  tools?: string[]
  /** Prepares the machine for the operation. */
  before?: () => Promise<unknown> | unknown
  act: () => Promise<{ code: number | null; stderr: string }>
  /** Returns nothing, or what is wrong afterwards. */
  expect: (t: Test) => Promise<void> | void
  /** Whether the former state is there after a failure; left out if there is nothing to undo. */
  undone?: (t: Test) => Promise<void> | void
}

const nginxConf = '/etc/nginx/conf.d/panel.conf'
const relay = '/etc/panel/mail/relay'
const orphan = '/var/lib/panel/web/names/missing.example'
const read = (path: string) => readFileSync(path, 'utf8')
const setRelay = (host: string) =>
  call(
    [
      ...['mail', 'relay', 'set', host, '--port', '25', '--tls', 'tls', '--user', 'u'],
      ...['--password-stdin', '--from-domain', 'mail.example.net'],
    ],
    `password of ${host}\n`,
  )
const hasRelay = (host: string) => (t: Test) => {
  t.match(read(relay), `host ${host}\n`)
  t.equal(read(`${relay}-password`), `password of ${host}\n`)
}
const proxies = (...words: string[]) => call(['web', 'trusted-proxies', ...words])

const cases: Record<string, Case> = {
  'another mail relay': {
    steps: ['set mail relay'],
    before: () => setRelay('192.0.2.1'),
    act: () => setRelay('192.0.2.2'),
    expect: hasRelay('192.0.2.2'),
    undone: hasRelay('192.0.2.1'),
  },
  'no mail relay': {
    steps: ['set mail relay'],
    before: () => setRelay('192.0.2.1'),
    act: () => call(['mail', 'relay', 'rm', '--yes']),
    expect(t) {
      t.notOk(existsSync(relay))
      t.notOk(existsSync(`${relay}-password`))
    },
    undone: hasRelay('192.0.2.1'),
  },
  'another version of PHP': {
    steps: ['choose php'],
    before: () => call(['php', 'default', 'newest']),
    act: () => call(['php', 'default', '5.9']),
    expect: t => void t.match(readlinkSync('/etc/panel/php/default'), /php-fpm5\.9$/),
    undone: t => void t.notOk(existsSync('/etc/panel/php/default')),
  },
  'other trusted proxies': {
    steps: ['trust proxies'],
    tools: ['nginx'],
    before: () => proxies('set', '192.0.2.1'),
    act: () => proxies('set', '192.0.2.2'),
    expect: t => void t.match(read(nginxConf), 'set_real_ip_from 192.0.2.2/32;'),
    undone: t => void t.match(read(nginxConf), 'set_real_ip_from 192.0.2.1/32;'),
  },
  'a rebuild of what all accounts share': {
    steps: ['shared', 'orphans', 'mail relay'],
    tools: ['nginx'],
    async before() {
      await setRelay('192.0.2.3')
      for (const path of [relay, nginxConf]) rmSync(path)
      rmSync(orphan, { force: true })
      symlinkSync('../sites/0000099999', orphan)
    },
    act: () => mend('rebuild-server'),
    expect(t) {
      hasRelay('192.0.2.3')(t)
      t.match(read(nginxConf), 'server {')
      t.notOk(lstatSync(orphan, { throwIfNoEntry: false }))
    },
  },
  'a start of a service': {
    steps: ['start cron'],
    tools: ['systemctl'],
    before: () => run('pkill', ['-x', 'cron']),
    act: () => mend('start-service', { service: 'cron' }),
    expect: async t => void t.equal((await run('pgrep', ['-x', 'cron'])).code, 0),
  },
  'a repair': {
    steps: ['repair'],
    before: () => chmodSync(stateDir, 0o755),
    act: () => mend('repair'),
    expect: t => void t.equal(lstatSync(stateDir).mode & 0o777, 0o700),
  },
  'a backup of the server': {
    steps: ['back up'],
    act: () => mend('back-up', { passphrase, again: passphrase }),
    async expect(t) {
      const names = readdirSync(`${stateDir}/backups`)
      t.strictSame(
        names.filter(name => !/^panel-\w+\.tar\.age$/.test(name)),
        [],
        'nothing is left of interrupted ones',
      )
      const { code } = await call(['backup', 'verify', ...lastOf(names), ...asked], passphrase)
      t.equal(code, 0, 'it can be restored')
    },
  },
  'an emptied trash': {
    steps: ['empty trash'],
    async before() {
      const body = { ...alice, username: 'gone', domain: 'gone.example' }
      await panel.call('POST', '/api/v1/accounts', { body })
      await panel.call('DELETE', '/api/v1/accounts/gone')
    },
    act: () => mend('empty-trash', { until: new Date().toISOString() }),
    expect: t => void t.notOk(existsSync(`/home/.trash/${uidOf('gone')}`)),
  },
}

for (const [what, { steps, tools = [], before, act, expect, undone }] of Object.entries(cases)) {
  t.test(`${what}, whose worker is killed, completes`, async t => {
    for (const step of steps) {
      // A kill in the first tool is one before the step.
      for (const moment of tools.length > 0
        ? (['after'] as const)
        : (['before', 'after'] as const)) {
        await before?.()
        plan('server', { step, how: 'kill', moment })
        const { code, stderr } = await act()
        t.equal(code, 0, `${moment} ${step}: ${stderr}`)
        t.ok(isExecuted('server'), `${moment} ${step}`)
        await expect(t)
      }
    }
    await before?.()
    killInTools('server', what, steps)
    const { code, stderr } = await act()
    rmSync('/tmp/plans/server.tools')
    t.equal(code, 0, `in tools: ${stderr}`)
    await expect(t)
    const killed = killsIn(what)
    for (const tool of tools)
      t.ok(
        killed.some(one => one.includes(`: ${tool}`)),
        killed.join(),
      )
    if (undone === undefined) return
    await before?.()
    plan('server', { step: steps.at(-1)!, how: 'fail', moment: 'after' })
    t.not((await act()).code, 0, 'a failed one fails')
    await undone(t)
  })
}

t.test('the website answers as before', async t => {
  await expectPage(alice.domain, '/', /^200 /)
  t.equal(uidOf('alice'), uid)
  t.equal((await run('nginx', ['-t', '-q'])).code, 0)
})
