import { X509Certificate } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { makeOwnCertificate } from '../../src/host/web/self-signed.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, clientOf, showAllIsThere, visit } from './installed.ts'

// A panel that moves to a machine on which another was just installed.

const file = '/srv/panel.age'
const passphrase = 'a passphrase that is long enough\n'

/** The files that a machine keeps outside itself, and their state. */
export type Kept = {
  machine: DebianMachine
  token: string
  info: { server_id: string }
  owners: string
  certificate: string
}

/** Gives an account a certificate and the server a webhook, and makes a backup. */
export async function keep(machine: DebianMachine, client: Client): Promise<Kept> {
  const certificate = await certify(machine)
  await machine.must('panel', 'webhook', 'add', 'https://receiver.example/hook')
  await machine.must('mkdir', '-p', '/etc/panel/hooks/account.created.d')
  const info = JSON.parse(await machine.must('panel', 'ctl', 'info', '--json'))
  const made = await machine.run(
    ['panel', 'backup', 'create', '--output', file, '--passphrase-stdin'],
    passphrase,
  )
  if (made.code !== 0) throw new Error(made.stderr)
  const owners = await ownersOf(machine)
  return { machine, token: client.token, info, owners, certificate }
}

// No authority is there: root's own files, as if there had been one.
async function certify(machine: DebianMachine): Promise<string> {
  const query = `select id from panel.sites where domain = 'bob.example'`
  const ask = ['psql', '-h', '/var/run/postgresql', '-U', 'panel_owner', '-d', 'panel', '-Atc']
  const id = (await machine.must(...ask, query)).trim()
  const pem = await makeOwnCertificate('bob.example', new Date())
  const path = join(machine.root, `var/lib/panel/certificates/${id}/served.pem`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, pem, { mode: 0o600 })
  await machine.must('panel', 'ctl', 'rebuild', 'bob')
  return new X509Certificate(pem).fingerprint256
}

// The logs of websites grow with each visit.
const found = `find /home/bob -path '*/logs/bob.*' -printf '%p %m %U %G\\n' \
  -o -printf '%p %m %U %G %s\\n' | sort`

const ownersOf = (machine: DebianMachine): Promise<string> =>
  machine.must('sh', '-c', `getent passwd bob; ${found}`)

/** Makes a fresh panel the one that was kept. */
export async function showRestored(t: Test, fresh: DebianMachine, kept: Kept): Promise<void> {
  copyFileSync(join(kept.machine.root, file), join(fresh.root, file))
  const restore = ['panel', 'ctl', 'dr-restore', file, '--passphrase-stdin', '--yes']
  const refused = await fresh.run(restore, passphrase)
  t.equal(refused.code, 1, refused.stdout)
  t.match(refused.stderr, /running|stop/)
  await fresh.must('systemctl', 'stop', 'panel.target')
  const done = await fresh.run(restore, passphrase)
  t.equal(done.code, 0, done.stderr)
  await fresh.must('systemctl', 'start', 'panel.target')

  // The worker makes what the rows say, once it has started.
  t.ok(await until(async () => /^200/.test(await visit(fresh, 'bob.example')), 60_000))
  const client = clientOf(fresh, kept.token)
  // The worker makes the account again, databases before websites.
  await until(async () => /^200 /.test(await visit(fresh, 'bob.example', '/who.php')), 60_000)
  await showAllIsThere(t, fresh, client)
  t.equal(await ownersOf(fresh), kept.owners, 'users, homes and numbers')
  const info = JSON.parse(await fresh.must('panel', 'ctl', 'info', '--json'))
  t.match(info, { server_id: kept.info.server_id, license: { is_valid: true } })
  t.ok(info.paused_since, 'it is held')
  const { stdout } = await fresh.reach(['sh', '-c', seenBy])
  t.match(stdout, kept.certificate.replaceAll(':', ''))
  await fresh.must('test', '-d', '/etc/panel/hooks/account.created.d')

  const attempts = async () =>
    JSON.parse(await fresh.must('panel', 'webhook', 'deliveries', '--json')).deliveries as {
      state: string
      attempts: object[]
    }[]
  t.match(await client('POST', '/accounts/bob/suspend', {}), { status: 200 })
  t.match(await client('POST', '/accounts/bob/unsuspend', {}), { status: 200 })
  t.match(await attempts(), Array(2).fill({ state: 'due', attempts: [] }), 'webhooks are held')
  await fresh.must('panel', 'ctl', 'dr-restore', '--release')
  t.ok(await until(async () => (await attempts()).every(each => each.attempts.length > 0), 30_000))
}

const seenBy = `openssl s_client -connect 127.0.0.1:443 -servername bob.example </dev/null |
  openssl x509 -outform DER | sha256sum | tr a-f A-F`
