import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'

// Mail hosting on an installed panel, under the hardening of its units: Dovecot 2.3 on Debian 12,
// and 2.4 on Debian 13.

const host = 'mail.example.com'
const [address, password] = ['joe@bob.example', 'correct horse']
const data = '/etc/panel-mail'

/** Turns mail hosting on, and sends and reads a message. */
export async function showMailHosting(t: Test, machine: DebianMachine): Promise<void> {
  const isOn = async (unit: string) =>
    (await machine.run(['systemctl', 'is-active', '-q', unit])).code === 0
  const enabled = await machine.run(['panel', 'mail', 'enable', '--host', host, '--json'])
  t.match(enabled, { code: 0 }, enabled.stdout + enabled.stderr)
  for (const unit of ['postfix', 'dovecot', 'rspamd']) t.ok(await isOn(unit), unit)
  const version = (await machine.must('dovecot', '--version')).slice(0, 3)

  await t.test('a message is sent with a login, and read by IMAP', async t => {
    const uid = (await machine.must('id', '-u', 'bob')).trim()
    await giveMailbox(machine, uid, version)
    const curl = ['curl', '-sS', '-k', '--max-time', '60', '--user', `${address}:${password}`]
    const message = `From: ${address}\r\nTo: ${address}\r\nSubject: Installed\r\n\r\nHi.\r\n`
    const send = [...curl, '--ssl-reqd', '--mail-from', address, '--mail-rcpt', address]
    const sent = () => machine.run([...send, '-T', '-', 'smtp://127.0.0.1:587'], message)
    // Rspamd compiles its patterns first, and mail is not taken before.
    let last = await sent()
    t.ok(await until(async () => (last = await sent()).code === 0, 180_000), last.stderr)
    const read = [...curl, 'imaps://127.0.0.1:993/INBOX;MAILINDEX=1']
    const isThere = async () => (await machine.run(read)).stdout.includes('Subject: Installed')
    t.ok(await until(isThere, 30_000), (await machine.run(read)).stderr)
    t.notMatch(await machine.must('journalctl', '-o', 'cat', '-n', '5000'), password)
  })

  await t.test('other servers are reached by the panel only', async t => {
    const table = await machine.run(['nft', 'list', 'table', 'inet', 'panel_mail'])
    t.match(table, { code: 0, stdout: /meta skuid 20000-2000000000/ }, table.stderr)
    t.match(await machine.run(['runuser', '-u', 'bob', '--', 'sendmail', 'a@b.example'], 'x'), {
      code: 75,
    })
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
  })

  await t.test('a changed configuration is found, and put right by a rebuild', async t => {
    await machine.must('sh', '-c', 'echo mynetworks = 0.0.0.0/0 >>/etc/postfix/main.cf')
    const doctor = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    t.match(doctor.stdout, /"mail-server\/configuration","state":"failure"/)
    await machine.must('panel', 'ctl', 'rebuild')
    t.match(await machine.must('postconf', '-h', 'mynetworks'), /^\s*$/)
  })

  await machine.must('panel', 'mail', 'disable')
  for (const unit of ['postfix', 'dovecot', 'rspamd']) t.notOk(await isOn(unit), unit)
}

// As the worker writes it.
async function giveMailbox(machine: DebianMachine, uid: string, version: string): Promise<void> {
  const home = `/home/.panel-mail/${uid}/bob.example/joe`
  const quota = version === '2.3' ? 'userdb_quota_rule=*:storage=' : 'userdb_quota_storage_size='
  const hash = (await machine.must('doveadm', 'pw', '-s', 'BLF-CRYPT', '-p', password)).trim()
  const files = {
    'passwd/bob.example': `${address}:${hash}:${uid}:${uid}::${home}::${quota}50M`,
    domains: 'bob.example panel',
    mailboxes: `${address} panel`,
    senders: `${address} ${address}`,
    rates: `${address} ${uid} 10`,
    'from-domains': `${address} bob.example`,
  }
  for (const [name, line] of Object.entries(files)) {
    await machine.run(['tee', `${data}/${name}`], `${line}\n`)
  }
  for (const name of ['domains', 'mailboxes', 'senders']) {
    await machine.must('postmap', `lmdb:${data}/${name}`)
  }
  await machine.must('install', '-d', '-m', '711', `/home/.panel-mail/${uid}`)
  await machine.must('install', '-d', '-m', '711', `/home/.panel-mail/${uid}/bob.example`)
  await machine.must('install', '-d', '-m', '700', '-o', uid, '-g', uid, home)
  const isKnown = async () => (await machine.run(['doveadm', 'user', address])).code === 0
  await until(isKnown, 5_000)
}
