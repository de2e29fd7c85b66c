import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { addSftpKey, openLinuxPanel, run, sftpByKey, sftpKeys, startServices } from '../machine.ts'

// Public keys of an account, with real sshd.

startServices('nginx', 'sshd')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
await panel.call('POST', '/api/v1/accounts', { body: alice })
const { rows } = await panel.pool.query<{ uid: number }>('select uid from panel.accounts')
const { uid } = rows[0]!
const hasSession = async () => (await run('pgrep', ['-U', String(uid), 'sshd'])).code === 0
const codeBy = async (key: string) => (await sftpByKey('alice', key, 'pwd\n')).code

// Stays until its input ends.
const openSession = (key: string) => {
  const flags = ['IdentitiesOnly=yes', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null']
  return spawn('sftp', ['-i', key, ...flags.flatMap(flag => ['-o', flag]), 'alice@127.0.0.1'])
}

t.test('an account logs in with a key that it was given, and with no other', async t => {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', '/tmp/strange'])
  await addSftpKey(panel, 'alice', '/tmp/first')
  t.equal(await codeBy('/tmp/first'), 0)
  t.not(await codeBy('/tmp/strange'), 0)
})

t.test('a key that is given while it is suspended opens nothing until it is not', async t => {
  await panel.call('POST', '/api/v1/accounts/alice/suspend')
  await addSftpKey(panel, 'alice', '/tmp/second')
  t.not(await codeBy('/tmp/first'), 0)
  t.not(await codeBy('/tmp/second'), 0)
  await panel.call('POST', '/api/v1/accounts/alice/unsuspend')
  t.equal(await codeBy('/tmp/first'), 0)
  t.equal(await codeBy('/tmp/second'), 0)
})

t.test('a session opened just before a suspension is ended', async t => {
  // sshd opens the session, as root, after it has checked the login: here that takes a second.
  const [slow, opening, pam] = ['/usr/local/sbin/slow-session', '/tmp/opening', '/etc/pam.d/sshd']
  const wasBefore = readFileSync(pam)
  writeFileSync(slow, `#!/bin/sh\ntouch ${opening}; sleep 1\n`, { mode: 0o755 })
  appendFileSync(pam, `session required pam_exec.so ${slow}\n`)
  const session = openSession('/tmp/first')
  const ended = once(session, 'exit')
  await until(() => existsSync(opening))
  writeFileSync(pam, wasBefore)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
  await sleep(1_500)
  t.notOk(await hasSession())
  t.not((await ended)[0], 0)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  t.equal(await codeBy('/tmp/first'), 0)
})

t.test('a key that is taken away opens nothing any more, and its session ends', async t => {
  const session = openSession('/tmp/second')
  const ended = once(session, 'exit')
  await until(hasSession)
  const { keys } = (await sftpKeys(panel, 'ls', 'alice', '--json')).json() as {
    keys: { id: string }[]
  }
  const removed = await sftpKeys(panel, 'rm', 'alice', keys[1]!.id, '--yes')
  t.equal(removed.code, 0, removed.stderr)
  t.notOk(await hasSession())
  session.stdin.end('ls\n')
  t.not((await ended)[0], 0)
  t.not(await codeBy('/tmp/second'), 0)
  t.equal(await codeBy('/tmp/first'), 0)
})

t.test('keys go with the account, and its name’s next owner has none', async t => {
  await panel.call('DELETE', '/api/v1/accounts/alice')
  t.not(await codeBy('/tmp/first'), 0)
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  t.not(await codeBy('/tmp/first'), 0)
})
