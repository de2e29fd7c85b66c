import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import t, { type Test } from 'tap'
import { until } from '../../support/until.ts'
import { aroundRestic, openBackups, restoreRestic } from '../account-backups.ts'
import { asUser, putFile, run, startServices } from '../machine.ts'

// Restores of parts of backups, with real restic, databases and a customer who plants links.

startServices('nginx')
const backups = await openBackups(t)
const { call, ended, panel, startWorker, done } = backups
let worker = await startWorker()
const [uid] = (await backups.addAccounts()) as [number]
const home = '/home/alice'
const as = (script: string) => asUser(uid, ['sh', '-ec', script])
const query = (sql: string) => backups.mariadb.root(sql)
await putFile({ uid }, `${home}/files/kept.txt`, 'kept')
await as(`mkdir -p ${home}/files/a/b; echo one >${home}/files/a/b/one.txt
  echo index >${home}/sites/alice.example/public/index.html
  cd ${home}/files; ln -s /etc/shadow link; mkfifo pipe; cp /bin/true set; chmod 4755 set
  printf x >'odd [*] \\ name'`)
await done('add', 'alice', 'shop')
await query(`CREATE TABLE alice_shop.t (a TEXT); INSERT INTO alice_shop.t VALUES ('before')`)
await call(['target', 'add', 'disk', '--folder', '/mnt/backups'])
await call(['create', 'alice'])
const backup = await ended()

type Warning = { code: string; message: string }
type Restore = { id: string; state: string; error: string | null; warnings: Warning[] }
const restores = async (): Promise<Restore[]> =>
  (await call(['restore-ls', 'alice', '--json'])).json().restores
const begin = (...words: string[]) =>
  call(['restore', 'alice', backup.id, ...words, '--yes', '--json'])
const restored = async (): Promise<Restore> => {
  await until(async () => /done|failed/.test((await restores())[0]?.state ?? ''), 90_000)
  return (await restores())[0]!
}
const restore = async (...words: string[]) => {
  const begun = await begin(...words)
  t.equal(begun.code, 0, begun.stderr)
  return restored()
}
const read = (path: string) => readFileSync(`${home}/${path}`, 'utf8')
const expectNothingLeft = async (t: Test) => {
  const isGone = async () => readdirSync('/home/.trash/restoring').length === 0
  t.ok(await until(isGone, 20_000), 'nothing is staged')
  t.strictSame(readdirSync('/run/panel/backups'), [], 'no key is left')
}

t.test('a backup is browsed, and a restore of it previewed', async t => {
  const files = async (...words: string[]) =>
    (await call(['files', 'alice', backup.id, ...words, '--json'])).json()
  const top = await files()
  t.match(top, { databases: [{ database: 'alice_shop' }], mailboxes: [] })
  t.strictSame(
    top.entries.map(({ name }: { name: string }) => name),
    ['files', 'sites'],
  )
  const listed = (await files('files')).entries as { name: string; type: string; files: number }[]
  t.strictSame(
    listed.map(({ name, type }) => `${type} ${name}`),
    ['folder a', 'file kept.txt', 'link link', 'file odd [*] \\ name', 'other pipe', 'file set'],
  )
  t.match((await files('files/a')).entries, [{ name: 'b', type: 'folder', files: 1, bytes: 4 }])
  t.match(await call(['files', 'alice', backup.id, 'files/none']), { code: 1, stderr: /not have/ })
  t.match(await call(['files', 'alice', backup.id, '../etc']), { code: 1, stderr: /must be/ })
  t.match(await call(['files', 'bob', backup.id]), { code: 1, stderr: /no such backup/ })
  const words = ['--path', 'files/a', '--database', 'alice_shop', '--preview', '--json']
  const preview = await call(['restore', 'alice', backup.id, ...words])
  t.match(preview.json(), {
    items: [
      { kind: 'path', name: 'files/a', files: 1, bytes: 4, effect: 'replaces' },
      { kind: 'database', name: 'alice_shop', files: null, effect: 'replaces' },
    ],
    ...{ files: 1, bytes: 4, fits: true },
  })
  t.strictSame(await restores(), [], 'nothing was begun')
})

t.test('one file comes back, with the account as its owner', async t => {
  await as(`echo changed >${home}/files/kept.txt`)
  const one = await restore('--path', 'files/kept.txt')
  t.match(one, { state: 'done', error: null, warnings: [] })
  t.equal(read('files/kept.txt'), 'kept')
  t.equal(statSync(`${home}/files/kept.txt`).uid, uid)
  t.equal(readFileSync(`/home/.trash/replaced/${one.id}/0`, 'utf8'), 'changed\n')
  await expectNothingLeft(t)
})

t.test('folders that are gone are made again', async t => {
  await as(`rm -r ${home}/files/a`)
  t.match(await restore('--path', 'files/a/b/one.txt'), { state: 'done', error: null })
  t.equal(read('files/a/b/one.txt'), 'one\n')
})

t.test('one database is as it was', async t => {
  await query(`UPDATE alice_shop.t SET a = 'after'; CREATE TABLE alice_shop.later (a INT)`)
  t.match(await restore('--database', 'alice_shop'), { state: 'done', error: null })
  t.strictSame(await query('SHOW TABLES FROM alice_shop'), await query(`SELECT 't'`))
  t.match(JSON.stringify(await query('SELECT a FROM alice_shop.t')), /before/)
})

t.test('names with characters of patterns, and a link, are themselves', async t => {
  await as(`cd ${home}/files; rm link 'odd [*] \\ name'`)
  const words = ['--path', 'files/odd [*] \\ name', '--path', 'files/link']
  t.match(await restore(...words), { state: 'done', error: null })
  t.equal(read('files/odd [*] \\ name'), 'x')
  t.equal((await run('readlink', [`${home}/files/link`])).stdout.trim(), '/etc/shadow')
})

t.test('everything comes back, without set-user-ID bits and pipes', async t => {
  await as(`cd ${home}; echo changed >files/kept.txt
    echo changed >sites/alice.example/public/index.html
    echo new >files/new.txt; rm files/set files/pipe`)
  await query(`UPDATE alice_shop.t SET a = 'after'`)
  const all = await restore('--everything')
  const warnings = [{ code: 'special_files_left_out', message: /^Pipes.* \(1\) were left out$/ }]
  t.match(all, { state: 'done', error: null, warnings })
  t.equal(read('files/kept.txt'), 'kept')
  t.equal(read('files/new.txt'), 'new\n', 'what the backup does not have stays')
  t.equal(read('sites/alice.example/public/index.html'), 'index\n')
  t.equal(statSync(`${home}/files/set`).mode & 0o7777, 0o755)
  t.notOk(existsSync(`${home}/files/pipe`))
  t.match(JSON.stringify(await query('SELECT a FROM alice_shop.t')), /before/)
  await expectNothingLeft(t)
})

t.test('a path that the backup lacks is refused, and nothing changes', async t => {
  await as(`echo changed >${home}/files/kept.txt`)
  const one = await restore('--path', 'files/kept.txt', '--path', 'files/none.txt')
  t.match(one, { state: 'failed', error: /does not have files\/none.txt/ })
  t.equal(read('files/kept.txt'), 'changed\n')
  await expectNothingLeft(t)
  for (const path of ['../bob', 'files/../../bob/files', 'logs/x', '/etc/passwd', 'files']) {
    t.match(await begin('--path', path), { code: 1, stderr: /must/ }, path)
  }
  t.match(await begin(), { code: 1, stderr: /Name what to restore/ })
  const unsure = ['restore', 'alice', backup.id, '--everything']
  t.match(await call(unsure), { code: 1, stderr: /use --yes/ })
})

t.test('a link that the customer has planted is not followed', async t => {
  await as(`cd ${home}/files; rm -r a; ln -s /etc a`)
  t.match(await restore('--path', 'files/a/b/one.txt'), { state: 'failed' })
  t.notOk(existsSync('/etc/b'))
  await as(`cd ${home}/files; rm a; mkdir -p elsewhere/b; ln -s elsewhere a`)
  const one = await restore('--path', 'files/a/b/one.txt')
  t.match(one, { state: 'failed', error: /link leads to it/ })
  t.strictSame(readdirSync(`${home}/files/elsewhere/b`), [])
  await as(`rm ${home}/files/a`)
  await expectNothingLeft(t)
})

t.test('a second one meanwhile is refused', async t => {
  aroundRestic('[ "$name" = backup ] && sleep 2 || :')
  t.equal((await begin('--path', 'files/kept.txt')).code, 0)
  t.match(await begin('--path', 'files/kept.txt'), { code: 1, stderr: /restore of this account/ })
  t.match(await call(['create', 'alice']), { code: 1, stderr: /in progress/ })
  t.match(await restored(), { state: 'done' })
  restoreRestic()
})

for (const [command, isAfter] of [
  ['backup', false],
  ['ls', true],
  ['restore', false],
  ['restore', true],
] as const) {
  t.test(`a kill ${isAfter ? 'after' : 'before'} restic ${command} loses nothing`, async t => {
    await as(`echo changed >${home}/files/kept.txt`)
    await query(`UPDATE alice_shop.t SET a = 'after'`)
    aroundRestic(`
if [ "$name" = ${command} ] && [ ! -e "$repository/once" ]; then
  ${isAfter ? '/usr/bin/restic "$@" >/dev/null' : ':'}
  : >"$repository/once"
  sleep 600 || exit 1
fi`)
    t.equal((await begin('--path', 'files/kept.txt', '--database', 'alice_shop')).code, 0)
    const isStopped = async () =>
      (await run('sh', ['-c', 'ls /mnt/backups/alice-*/once'])).code === 0
    t.ok(await until(isStopped, 60_000), 'it is there')
    await worker.kill()
    t.ok(await until(async () => (await run('pgrep', ['-x', 'restic'])).code !== 0, 5_000))
    worker = await startWorker()
    t.match(await restored(), { state: 'done', error: null })
    restoreRestic()
    await run('sh', ['-c', 'rm -f /mnt/backups/alice-*/once'])
    t.equal(read('files/kept.txt'), 'kept')
    t.match(JSON.stringify(await query('SELECT a FROM alice_shop.t')), /before/)
    await expectNothingLeft(t)
  })
}

t.test('a termination ends a restore', async t => {
  aroundRestic('[ "$name" = restore ] && sleep 300 || :')
  t.equal((await begin('--path', 'files/kept.txt')).code, 0)
  await until(async () => (await restores())[0]?.state === 'reading', 60_000)
  t.equal((await panel.call('DELETE', '/api/v1/accounts/alice')).status, 200)
  const { rows } = await panel.pool.query(
    'select state, error from panel.account_restores order by id desc limit 1',
  )
  t.strictSame(rows, [{ state: 'failed', error: 'The account was terminated' }])
  t.ok(await until(async () => (await run('pgrep', ['-f', 'sleep 300'])).code !== 0, 20_000))
  restoreRestic()
})
