import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, linkSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { exportsPath } from '../../../src/model/server/host.ts'
import { until } from '../../support/until.ts'
import { signInAs } from '../../support/web/signed-in.ts'
import { openDatabasePanel } from '../databases.ts'
import { startServices } from '../machine.ts'

// Exports for download and imports from homes on the real machine: interrupted, and attacked.

startServices('nginx')
const { panel, mariadb, say, database, done, addAccount } = await openDatabasePanel(t)
let worker = await panel.startMachineWorker()
const put = (diskMb: number) =>
  panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 3, disk_mb: diskMb } })
await put(64)
for (const name of ['alice', 'bob']) await addAccount(name)
const { password } = await done('add', 'alice', 'shop')
const asShop = (statements: string) => mariadb.as('alice_shop', password, statements, 'alice_shop')
await asShop("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('kept')")
const customer = await signInAs(panel, 'alice')
const own = '/account/databases/alice_shop'

const uidOf = (name: string) => Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }))

/** Begins an export; the page waits for it. */
const begin = () => customer.submit(`${own}/export`)
const files = () => (existsSync(exportsPath) ? readdirSync(exportsPath) : [])
async function exported(): Promise<string> {
  const headers = { cookie: customer.cookie }
  const answer = await fetch(`${panel.baseUrl}${own}/export/download`, { headers })
  t.equal(answer.status, 200)
  return gunzipSync(Buffer.from(await answer.arrayBuffer())).toString()
}
const shown = () => mariadb.root('SHOW FULL PROCESSLIST')
const isDumping = async () => /Waiting for table.*metadata lock.*SELECT/.test(await shown())

/** Holds a table, which the dump waits for, until it is called. */
async function hold(): Promise<() => Promise<void>> {
  const holding = asShop('LOCK TABLES t WRITE; DO SLEEP(300)')
  await until(async () => (await shown()).includes('SLEEP'))
  return async () => {
    const [id = ''] = /^\d+(?=\talice_shop)/m.exec(await shown()) ?? []
    // A suspension has ended it already.
    if (id !== '') await mariadb.root(`KILL ${id}`)
    await holding
  }
}

t.test('an export is a file that only root and the API read', async t => {
  t.equal((await begin()).status, 303)
  t.match(await exported(), "'kept'")
  const [name = ''] = files()
  t.match(name, /^\d+$/)
  const { mode, uid } = statSync(`${exportsPath}/${name}`)
  t.strictSame([(mode & 0o777).toString(8), uid], ['640', 0])
})

t.test('a worker that is killed during an export leaves it to the next', async t => {
  await asShop("INSERT INTO t VALUES ('since')")
  const release = await hold()
  const { headers } = await begin()
  await until(isDumping)
  await worker.kill()
  worker = await panel.startMachineWorker()
  await until(isDumping)
  await release()
  const ended = await until(async () => {
    const page = await customer.get(headers.location ?? '')
    return page.status === 303 && page
  })
  t.match(ended.headers.location, `${own}/export`)
  t.match(await exported(), "'since'")
  t.equal(files().length, 1, 'no part of the first one is left')
})

t.test('a suspension ends an export', async t => {
  const release = await hold()
  const { headers } = await begin()
  await until(isDumping)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
  await release()
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  const [, id = ''] = /jobs\/([0-9a-f-]+)/.exec(headers.location ?? '') ?? []
  const { stdout } = await say('jobs', 'show', id)
  t.match(stdout, /It was stopped: the account is being suspended/)
  t.notOk(files().some(name => name.endsWith('.part')))
})

t.test('an export is no larger than the account’s disk', async t => {
  const again = await signInAs(panel, 'alice')
  const random = 'SELECT RANDOM_BYTES(1000) FROM seq_1_to_3000'
  const filled = await asShop(`CREATE TABLE big (a LONGBLOB); INSERT INTO big ${random}`)
  t.equal(filled.code, 0, filled.stderr)
  await put(1)
  await until(async () => (await again.get('/account')).text.includes('1 MB'))
  const sent = await again.submit(`${own}/export`)
  const { location } = sent.headers
  const refused = await until(async () => {
    if (location === undefined) return sent.text
    const { text } = await again.get(location)
    return text.includes('larger') && text
  })
  t.match(refused, /larger than the account&#39;s disk \(1 MB\)/)
  t.notOk(files().some(name => name.endsWith('.part')))
  await asShop('DROP TABLE big')
  await put(64)
})

t.test('a file in the home is the account’s own, or is not imported', async t => {
  const home = '/home/alice'
  const uid = uidOf('alice')
  const write = (path: string, text: string, owner = uid) => {
    writeFileSync(path, text)
    chownSync(path, owner, owner)
  }
  write('/home/bob/theirs.sql', 'CREATE TABLE theirs (a INT);\n', uidOf('bob'))
  linkSync('/home/bob/theirs.sql', `${home}/linked.sql`)
  execFileSync('ln', ['-s', '/home/bob', `${home}/bob`])
  execFileSync('ln', ['-s', '/home/bob/theirs.sql', `${home}/symbolic.sql`])
  execFileSync('mkfifo', [`${home}/pipe.sql`])
  for (const file of ['linked.sql', 'bob/theirs.sql', 'symbolic.sql', 'pipe.sql', 'none.sql']) {
    const result = await database('import', 'alice', 'alice_shop', file, '--home')
    t.match(result, { code: 1, stderr: new RegExp(`The home has no file ${file}`) }, file)
  }
  for (const file of ['../bob/theirs.sql', '/etc/passwd', 'a//b']) {
    const result = await database('import', 'alice', 'alice_shop', file, '--home')
    t.match(result, { stderr: /must be a path such as/ }, file)
    t.not(result.code, 0)
  }
  t.notMatch(await mariadb.root('SHOW TABLES IN alice_shop'), 'theirs')
  write(`${home}/own.sql`, 'CREATE TABLE own (a INT);\n')
  const { code, stderr } = await database('import', 'alice', 'alice_shop', 'own.sql', '--home')
  t.equal(code, 0, stderr)
  t.match(await mariadb.root('SHOW TABLES IN alice_shop'), /^own$/m)
  t.ok(existsSync(`${home}/own.sql`))
})

t.test('a dump in the home that starts programs is refused', async t => {
  const path = '/home/alice/hostile.sql'
  for (const line of ['\\! touch /var/tmp/started', 'system touch /var/tmp/started']) {
    writeFileSync(path, `CREATE TABLE IF NOT EXISTS mine (a INT);\n${line}\n`)
    chownSync(path, uidOf('alice'), 0)
    const result = await database(
      'import',
      'alice',
      'alice_shop',
      'hostile.sql',
      '--home',
      '--json',
    )
    t.notOk(existsSync('/var/tmp/started'), result.stdout)
    t.match(`${result.stdout}${result.stderr}`, /ERROR/, line)
  }
})
