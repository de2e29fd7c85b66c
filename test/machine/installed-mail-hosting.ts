import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import type { Client } from './installed.ts'
import { showScripts } from './installed-mail-scripts.ts'
import { readFrom, sendTo } from './mail-visitor.ts'

// Mail hosting on an installed panel, under the hardening of its units: Dovecot 2.3 on Debian 12,
// and 2.4 on Debian 13.

const host = 'mail.example.com'
const enable = ['panel', 'mail', 'enable', '--host', host]
const domain = 'bob.example'
const joe = { user: `joe@${domain}`, pass: 'correct horse battery' }
const own = { from: joe.user, to: joe.user }

/** Turns mail hosting on, sends and reads messages, and turns it off. */
export async function showMailHosting(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  const fromOutside = (subject: string) =>
    sendTo(machine, { port: 25, from: 'eve@outside.example', to: joe.user, subject })
  const arrived = (subject: string) =>
    until(async () => (await readFrom(machine, joe))?.join('').includes(subject), 30_000)
  const isOn = async (unit: string) =>
    (await machine.run(['systemctl', 'is-active', '-q', unit])).code === 0
  await t.test('an installation of packages that is killed leaves no masks', t =>
    showKilledInstallation(t, machine),
  )
  const enabled = await machine.run([...enable, '--json'])
  t.match(enabled, { code: 0 }, enabled.stdout + enabled.stderr)
  for (const unit of ['postfix', 'dovecot', 'rspamd']) t.ok(await isOn(unit), unit)

  await t.test('a mailbox takes mail as soon as it is made', async t => {
    const mail = ['panel', 'mail']
    await machine.must(...mail, 'domain', 'add', 'bob', domain)
    const add = [...mail, 'mailbox', 'add', 'bob', joe.user, '--password-stdin']
    t.match(await machine.run(add, `${joe.pass}\n`), { code: 0 })
    // Rspamd compiles its patterns first, and mail is not taken before.
    let last = { code: 0, text: '' }
    const answers = async (code: number) => (last = await fromOutside('From outside')).code === code
    t.ok(await until(() => answers(554), 180_000), `the domain is pending: ${last.text}`)
    const seen = `select panel.record_mail_domain_seen('${domain}', 'mx')`
    await machine.must('runuser', '-u', 'postgres', '--', 'psql', '-qd', 'panel', '-c', seen)
    t.ok(await until(() => answers(250), 30_000), last.text)
    t.ok(await arrived('From outside'))
  })

  await t.test('a message is sent with a login over TLS, and with none refused', async t => {
    for (const port of [465, 587] as const) {
      const sent = await sendTo(machine, { ...own, port, subject: `By ${port}`, login: joe })
      t.equal(sent.code, 250, sent.text)
      t.ok(await arrived(`By ${port}`), `${port}`)
    }
    const open = { ...own, port: 587, subject: 'Open', transport: { ignoreTLS: true } } as const
    t.match(await sendTo(machine, { ...open, login: joe }), { code: 530 })
    t.match(await sendTo(machine, open), { code: 530 })
    const anonymous = { ...own, to: 'eve@outside.example', subject: 'Relayed' }
    for (const port of [25, 465, 587] as const) {
      t.ok((await sendTo(machine, { ...anonymous, port })).code >= 500, `${port} is no relay`)
    }
    const wrong = { user: joe.user, pass: 'wrong' }
    t.match(await sendTo(machine, { ...own, port: 465, subject: 'x', login: wrong }), { code: 535 })
    t.equal(await readFrom(machine, wrong), undefined)
    t.notMatch(await machine.must('journalctl', '-o', 'cat', '-n', '5000'), joe.pass)
  })

  await t.test('scripts send by it, signed and within the limit of their account', t =>
    showScripts(t, machine, arrived),
  )

  await t.test('a suspended account takes mail, and neither sends nor reads', async t => {
    t.match(await client('POST', '/accounts/bob/suspend', {}), { status: 200 })
    t.equal(await readFrom(machine, joe), undefined)
    const refused = await sendTo(machine, { ...own, port: 465, subject: 'x', login: joe })
    t.equal(refused.code, 535, refused.text)
    t.equal((await fromOutside('Later')).code, 250)
    t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
    t.ok(await arrived('Later'))
  })

  await t.test('other servers are reached by the panel only', async t => {
    const table = await machine.run(['nft', 'list', 'table', 'inet', 'panel_mail'])
    t.match(table, { code: 0, stdout: /meta skuid 20000-2000000000/ }, table.stderr)
    t.match(await machine.run(['runuser', '-u', 'bob', '--', 'sendmail', 'a@b.example'], 'x'), {
      code: 75,
    })
  })

  await t.test('a connection does not outlive a Dovecot that is killed', async t => {
    const open = machine.inNetwork('openssl', 's_client', '-quiet', '-connect', '127.0.0.1:993')
    const [program = '', ...args] = open
    const connection = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = once(connection, 'close')
    let seen = ''
    connection.stdout.on('data', (text: Buffer) => (seen += text.toString()))
    connection.stdin.write(`a1 LOGIN ${joe.user} "${joe.pass}"\r\na2 SELECT INBOX\r\n`)
    t.ok(await until(() => seen.includes('a2 OK')), seen)
    await machine.must('systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'dovecot')
    t.match(await client('POST', '/accounts/bob/suspend', {}), { status: 200 })
    await ended
    t.ok(await until(() => isOn('dovecot'), 30_000), 'it starts again')
    t.equal(await readFrom(machine, joe), undefined)
    t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
  })

  await t.test('the daemons are hardened, and found when they are down', async t => {
    for (const unit of ['dovecot', 'rspamd']) {
      const shown = await machine.must('systemctl', 'show', '-p', 'NoNewPrivileges', unit)
      t.match(shown, /=yes/, unit)
    }
    await machine.must('systemctl', 'stop', 'rspamd')
    const doctor = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; state: string }[] }
    const stateOf = (name: string) => checks.find(one => one.name === name)?.state
    t.equal(stateOf('mail-server/running'), 'failure', doctor.stdout.slice(0, 500))
    t.equal(stateOf('mail-server/configuration'), 'ok')
    await machine.must('systemctl', 'start', 'rspamd')
    await machine.must('systemctl', 'reload', 'rspamd')
    const restarts = () => machine.must('systemctl', 'show', '-p', 'NRestarts', 'rspamd')
    t.ok(await until(async () => /=[1-9]/.test(await restarts()), 60_000), 'a reload ends a start')
    t.ok(await until(() => isOn('rspamd'), 30_000), 'and it comes back')
  })

  await t.test('a changed configuration is found, and put right by a rebuild', async t => {
    await machine.must('sh', '-c', 'echo mynetworks = 0.0.0.0/0 >>/etc/postfix/main.cf')
    const doctor = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    t.match(doctor.stdout, /"mail-server\/configuration","state":"failure"/)
    await machine.must('panel', 'ctl', 'rebuild')
    t.match(await machine.must('postconf', '-h', 'mynetworks'), /^\s*$/)
  })

  await t.test('the daemons are stopped also if a program is missing', async t => {
    await machine.must('mv', '/usr/bin/sievec', '/usr/bin/missing')
    await machine.must('panel', 'mail', 'disable')
    for (const unit of ['postfix', 'dovecot', 'rspamd']) t.notOk(await isOn(unit), unit)
    await machine.must('mv', '/usr/bin/missing', '/usr/bin/sievec')
  })

  await t.test('a running mail server is stopped and started when it is replaced', t =>
    showTakeOver(t, machine),
  )
  await machine.must('panel', 'mail', 'mailbox', 'rm', 'bob', joe.user, '--yes')
  await machine.must('panel', 'mail', 'domain', 'rm', 'bob', domain, '--yes')
  await machine.must('panel', 'mail', 'disable')
}

async function showKilledInstallation(t: Test, machine: DebianMachine): Promise<void> {
  const { stop } = machine.start(enable)
  const stateOf = async (unit: string) =>
    (await machine.run(['systemctl', 'is-enabled', `${unit}.service`])).stdout.trim()
  const isInstalled = async () =>
    (await machine.run(['test', '-e', '/usr/lib/systemd/system/dovecot.service'])).code === 0
  t.ok(await until(isInstalled, 120_000))
  t.equal(await stateOf('dovecot'), 'masked')
  await stop()
  await machine.must('panel', 'mail', 'disable')
  // Its packages are whole, or not there, and none runs with the configuration of its package.
  for (const unit of ['postfix', 'dovecot', 'rspamd']) {
    t.match(await stateOf(unit), /^(disabled|not-found|)$/, unit)
    t.not((await machine.run(['systemctl', 'is-active', '-q', unit])).code, 0, unit)
  }
}

// As if its administrator had set it up.
async function showTakeOver(t: Test, machine: DebianMachine): Promise<void> {
  await machine.must('rm', '/var/lib/panel-mail/owned')
  await machine.must('sh', '-c', 'rm /etc/systemd/system/*/50-panel.conf')
  await machine.must('postconf', '-e', 'inet_interfaces=loopback-only')
  await machine.must('systemctl', 'daemon-reload')
  await machine.must('systemctl', 'start', 'postfix', 'dovecot')
  const listening = async () => (await machine.reach(['ss', '-Hltn', 'sport = 25'])).stdout
  const limits = () => machine.must('sh', '-c', 'cat /proc/$(cat /run/dovecot/master.pid)/status')
  t.match(await listening(), '127.0.0.1:25')
  t.match(await limits(), /^NoNewPrivs:\t0$/m)
  const refused = await machine.run(enable)
  t.match(refused, { code: 1, stderr: /has a mail server already: .*postfix/ })
  const done = await machine.run([...enable, '--take-over'])
  t.equal(done.code, 0, done.stderr)
  t.match(await listening(), '0.0.0.0:25')
  t.match(await limits(), /^NoNewPrivs:\t1$/m)
}
