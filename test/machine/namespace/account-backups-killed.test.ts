import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import t, { type Test } from 'tap'
import { until } from '../../support/until.ts'
import { aroundRestic, openBackups, restoreRestic } from '../account-backups.ts'
import { putFile, run, startServices } from '../machine.ts'

// A worker that is killed at any step of a backup: the next one finishes it, or it has failed; rows
// and snapshots agree, and nothing is left.

startServices('nginx')
const backups = await openBackups(t)
const { call, ended, list, panel, startWorker, completed, done, snapshots } = backups
let worker = await startWorker()
const [uid] = (await backups.addAccounts()) as [number]
await putFile({ uid }, '/home/alice/files/kept.txt', 'kept')
await done('add', 'alice', 'shop')
t.equal((await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])).code, 0)

// In the repository, which is all that the runner may write.
const stopAt = (command: string, isAfter: boolean) =>
  aroundRestic(`
if [ "$name" = ${command} ] && [ ! -e "$repository/once" ]; then
  ${isAfter ? '/usr/bin/restic "$@" >/dev/null' : ':'}
  : >"$repository/once"
  sleep 600 || exit 1
fi`)
const isStopped = async () => (await run('sh', ['-c', 'ls /mnt/backups/alice-*/once'])).code === 0
const forget = () => run('sh', ['-c', 'rm -f /mnt/backups/alice-*/once'])

async function expectAgreement(t: Test): Promise<void> {
  const { rows } = await panel.pool.query<{ snapshot: string }>(
    `select snapshot from panel.account_backups where state = 'done' order by snapshot`,
  )
  t.strictSame(
    (await snapshots()).sort(),
    rows.map(({ snapshot }) => snapshot),
  )
  t.equal((await completed()).length, rows.length, 'one event for each')
  t.notOk(existsSync(`/var/lib/panel/account-backups/${uid}`), 'no dump is left')
  t.strictSame(readdirSync('/run/panel/backups'), [], 'no key is left')
}

for (const [command, isAfter] of [
  ['init', true],
  ['unlock', false],
  ['backup', false],
  ['backup', true],
  ['ls', false],
  ['ls', true],
] as const) {
  t.test(`a kill ${isAfter ? 'after' : 'before'} restic ${command}`, async t => {
    stopAt(command, isAfter)
    t.equal((await call(['create', 'alice'])).code, 0)
    t.ok(await until(isStopped, 30_000), 'it is there')
    await worker.kill()
    t.ok(await until(async () => (await run('pgrep', ['-x', 'restic'])).code !== 0, 5_000))
    worker = await startWorker()
    const backup = await ended()
    restoreRestic()
    await forget()
    t.match(backup, { state: 'done', error: null })
    await expectAgreement(t)
  })
}

t.test('a snapshot of a backup that has failed is forgotten by the next', async t => {
  stopAt('ls', true)
  t.equal((await call(['create', 'alice'])).code, 0)
  t.ok(await until(isStopped, 30_000))
  execFileSync('pkill', ['-f', 'sleep 600'])
  t.match(await ended(), { state: 'failed' })
  restoreRestic()
  await forget()
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done' })
  await expectAgreement(t)
})

t.test('a backup whose snapshot is gone has failed', async t => {
  const before = (await list()).filter(({ state }) => state === 'done').length
  await run('sh', ['-c', 'rm $(ls -d /mnt/backups/alice-*/snapshots/* | head -n 1)'])
  await panel.pool.query('update panel.backup_repositories set is_dirty = true')
  t.equal((await call(['create', 'alice'])).code, 0)
  t.match(await ended(), { state: 'done' })
  const { rows } = await panel.pool.query(
    `select error from panel.account_backups where error like 'Its snapshot%'`,
  )
  t.equal(rows.length, 1)
  t.equal((await list()).filter(({ state }) => state === 'done').length, before)
})

t.test('a kill while databases are dumped starts the operation again', async t => {
  const since = (await completed()).length
  const created = call(['create', 'alice'])
  await until(async () => existsSync(`/var/lib/panel/account-backups/${uid}`), 10_000)
  await worker.kill()
  worker = await startWorker()
  t.equal((await created).code, 0)
  t.match(await ended(), { state: 'done' })
  t.equal((await completed()).length, since + 1)
  t.notOk(existsSync(`/var/lib/panel/account-backups/${uid}`))
})
