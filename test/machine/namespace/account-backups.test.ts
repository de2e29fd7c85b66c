import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { aroundRestic, backupProbes, openBackups, restoreRestic } from '../account-backups.ts'
import { asUser, putFile, run, startServices } from '../machine.ts'

// Backups of accounts with real databases, by a runner that sees only what it reads.

startServices('nginx', 'sshd')
const backups = await openBackups(t)
const { call, ended, list, panel, startWorker, completed, done } = backups
await startWorker()
const [uid, bobUid] = (await backups.addAccounts()) as [number, number]
await putFile({ uid }, '/home/alice/files/kept.txt', 'kept')
await putFile({ uid: bobUid }, '/home/bob/files/secret.txt', 'of bob')
await asUser(uid, ['chmod', '600', '/home/alice/files/kept.txt'])
await done('add', 'alice', 'shop')
await backups.mariadb.root(`
  CREATE TABLE alice_shop.t (a TEXT); INSERT INTO alice_shop.t VALUES ('in \\\\! the database')`)

t.test('a backup has the home, the rows and the dumps', async t => {
  const added = await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])
  t.equal(added.code, 0, added.stderr)
  const created = await call(['create', 'alice', '--json'])
  t.match(created, { code: 0 }, created.stderr)
  t.strictSame(created.json().dumps, ['databases/alice_shop.sql'])
  const backup = await ended()
  t.match(backup, { state: 'done', error: null, dumps: ['databases/alice_shop.sql'] })
  t.match(await completed(), [{ kind: 'full', scope: 'account:alice' }])
  t.notOk(existsSync(`/var/lib/panel/account-backups/${uid}`))
  t.strictSame(readdirSync('/run/panel/backups'), [])
  const [repository] = readdirSync('/mnt/backups').filter(name => name.startsWith('alice-'))
  t.equal(statSync(`/mnt/backups/${repository}`).mode & 0o777, 0o700)
  t.not(statSync(`/mnt/backups/${repository}`).uid, 0)
  t.not((await asUser(uid, ['ls', `/mnt/backups/${repository}`])).code, 0)
})

t.test('the runner reads the home, and can do nothing else', async t => {
  aroundRestic(backupProbes('alice', 'bob'))
  t.equal((await call(['create', 'alice'])).code, 0)
  const backup = await ended()
  restoreRestic()
  t.match(backup, { state: 'done', error: null })
  const [repository] = readdirSync('/mnt/backups').filter(name => name.startsWith('alice-'))
  const found = readFileSync(`/mnt/backups/${repository}/found`, 'utf8').trim().split('\n')
  rmSync(`/mnt/backups/${repository}/found`)
  t.strictSame(
    found.filter(line => line.startsWith('can ')),
    ['can read-home'],
  )
  t.equal(found.filter(line => line.startsWith('cannot ')).length, 14)
  const id = execFileSync('id', ['-u', 'panel-backup'], { encoding: 'utf8' }).trim()
  t.equal(found.at(-1), id)
})

t.test('hostile files are stored as they are', async t => {
  const folder = '/home/alice/files/odd'
  const made = await asUser(uid, [
    ...['sh', '-c'],
    `mkdir ${folder}; cd ${folder}; ln -s /etc/shadow link; mkfifo pipe; ` +
      `printf x >"$(printf 'a\\nb')"; printf x >./--option; truncate -s 1T sparse; chmod 000 link`,
  ])
  await asUser(uid, ['rm', `${folder}/sparse`])
  t.ok(existsSync(`${folder}/pipe`), made.stderr)
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done', error: null })
})

t.test('a suspended account is backed up too, and its suspension waits for none', async t => {
  // Restic begins when the suspension is done.
  const repository = readdirSync('/mnt/backups').find(name => name.startsWith('alice-'))
  const go = `/mnt/backups/${repository}/go`
  aroundRestic('[ "$name" != backup ] || until [ -e "$repository/go" ]; do sleep 0.1; done')
  t.equal((await call(['create', 'alice'])).code, 0)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend', { body: {} })).status, 200)
  t.match((await list())[0], { state: /ready|running/ })
  writeFileSync(go, '')
  t.match(await ended(), { state: 'done', error: null })
  restoreRestic()
  rmSync(go)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })).status, 200)
})

t.test('another server takes backups by SFTP, with its host key pinned', async t => {
  execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', 'keeper'])
  execFileSync('install', ['-d', '-m', '700', '-o', 'keeper', '/home/keeper/.ssh'])
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', '/root/keeper'])
  const key = readFileSync('/root/keeper', 'utf8')
  writeFileSync('/home/keeper/.ssh/authorized_keys', readFileSync('/root/keeper.pub'))
  execFileSync('chown', ['keeper', '/home/keeper/.ssh/authorized_keys'])
  const [kind, hostKey] = readFileSync('/etc/ssh/ssh_host_ed25519_key.pub', 'utf8').split(' ')
  const where = ['--ssh', 'keeper@127.0.0.1/home/keeper/backups', '--secret-stdin', '--default']
  const other = 'AAAAC3NzaC1lZDI1NTE5AAAAILHOdXbpzfrHJD14rcwvtGDHRrpn0BdjqIcErpLr07VR'
  const refused = await call(
    ['target', 'add', 'remote', ...where, '--host-key', `ssh-ed25519 ${other}`],
    key,
  )
  t.match(refused, { code: 1, stderr: /The target cannot be used/ })
  t.notMatch(refused.stderr, key.split('\n')[1]!)
  const added = await call(
    ['target', 'add', 'remote', ...where, '--host-key', `${kind} ${hostKey}`],
    key,
  )
  t.equal(added.code, 0, added.stderr)
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done', target: 'remote', error: null })
  t.ok(readdirSync('/home/keeper/backups').some(name => name.startsWith('alice-')))
  // In no row in the clear.
  const { rows } = await panel.pool.query(
    'select to_jsonb(t)::text as row from panel.backup_targets t',
  )
  t.notMatch(rows.map(({ row }) => row).join(), /PRIVATE KEY/)
})

t.test('a termination ends the run', async t => {
  aroundRestic('[ "$name" = backup ] && sleep 300')
  t.equal((await call(['create', 'bob'])).code, 0)
  t.equal((await panel.call('DELETE', '/api/v1/accounts/bob')).status, 200)
  const { rows } = await panel.pool.query(
    `select state, error from panel.account_backups where username = 'bob'`,
  )
  t.strictSame(rows, [{ state: 'failed', error: 'The account was terminated' }])
  restoreRestic()
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done' })
  t.not((await run('pgrep', ['-f', 'sleep 300'])).code, 0, 'nothing of it is left')
  t.notOk(existsSync(`/var/lib/panel/account-backups/${bobUid}`))
})
