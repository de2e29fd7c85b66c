import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { dumpDatabase } from '../../../src/host/databases/dump.ts'
import { measureDatabases } from '../../../src/host/databases/sizes.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { startServices } from '../machine.ts'

// The disk space of databases, which no user's quota sees, and the effect of too much.

startServices('nginx')
const { panel, mariadb, database, done, addAccount, look } = await openDatabasePanel(t)
await panel.startMachineWorker()
const put = (name: string, body: object) => panel.call('PUT', `/api/v1/packages/${name}`, { body })
await put('starter', {})
await addAccount('alice')
const machine = openMachine({ kind: 'linux', root: '/' })
const accounts = '/api/v1/accounts'
const { password } = await done('add', 'alice', 'shop')
const asShop = (statements: string) => mariadb.as('alice_shop', password, statements, 'alice_shop')

t.test('a full account’s database can be read and made smaller, until it has room', async t => {
  const measure = async (isFrozen: boolean) => {
    await panel.pool.query(`select worker_queue.add_job('usage/databases')`)
    await until(async () => {
      const { rows } = await panel.pool.query(
        `select frozen_at is not null as is_frozen from panel.databases
         where name = 'alice_shop' and measured_at > now() - interval '5 seconds'`,
      )
      return rows[0]?.is_frozen === isFrozen
    })
    const untilIdle = `select from panel.operations where state not in ('done', 'failed')`
    await until(async () => (await panel.pool.query(untilIdle)).rowCount === 0)
  }
  const before = await look()
  await measure(false)
  t.equal(await look(), before)
  await asShop('CREATE TABLE big (a LONGBLOB) ENGINE = Aria')
  await put('starter', { disk_mb: 16 })
  const fill = `INSERT INTO big SELECT REPEAT('x', 1000000) FROM seq_1_to_20`
  t.equal((await asShop(fill)).code, 0)
  const writer = asShop('SELECT SLEEP(600); INSERT INTO big VALUES (1)')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  await measure(true)
  t.not((await writer).code, 0, 'who was connected is ended')
  for (const statement of [fill, 'UPDATE big SET a = 1', 'CREATE TABLE more (a INT)']) {
    t.match(await asShop(statement), { code: 1, stderr: /1142/ }, statement)
  }
  t.equal((await asShop('SELECT COUNT(*) FROM big')).stdout, '20\n')
  writeFileSync('/var/tmp/dump', 'DROP TABLE IF EXISTS big; CREATE TABLE big (a INT);')
  const imported = await database('import', 'alice', 'alice_shop', '/var/tmp/dump')
  t.match(imported, { code: 1, stderr: /disk is full: free space/ }, 'it would drop, and not make')
  t.equal((await asShop('SELECT COUNT(*) FROM big')).stdout, '20\n')
  const { body } = await panel.call('GET', `${accounts}/alice`)
  t.match(body.warnings.join(), /disk is full: its databases reject writes/i)
  t.match(await panel.call('GET', `${accounts}/alice/usage`), {
    body: { disk_used_mb: 20, database_used_mb: 20, disk_limit_mb: 16 },
  })
  t.match((await done('size', 'alice')).databases, [{ database: 'alice_shop', frozen: true }])
  const { rows } = await panel.pool.query(
    `select action, about from panel.history where action like 'database/%' order by id`,
  )
  t.strictSame(rows, [{ action: 'database/freeze', about: 'alice_shop' }])
  await measure(true)
  const post = async (word: string) =>
    t.equal((await panel.call('POST', `${accounts}/alice/${word}`)).status, 200)
  await post('suspend')
  t.match(await asShop('SELECT 1'), { code: 1, stderr: /4151/ })
  await post('unsuspend')
  t.match(await asShop(fill), { code: 1, stderr: /1142/ }, 'it is as full as before')
  t.equal((await asShop('DELETE FROM big')).code, 0)
  t.equal((await asShop('DROP TABLE big')).code, 0)
  await post('suspend')
  await measure(false)
  t.match(await asShop('SELECT 1'), { code: 1, stderr: /4151/ }, 'room does not open it')
  await post('unsuspend')
  t.equal(await look(), before)
  await put('starter', { disk_mb: 1_024 })
})

t.test('a database is written as SQL, and made smaller', async t => {
  const size = async () => (await measureDatabases(machine, ['alice_shop']))[0] ?? 0
  const rows = 'SELECT seq FROM seq_1_to_200000'
  t.equal((await asShop(`CREATE TABLE \`a b\` (a INT); INSERT INTO \`a b\` ${rows}`)).code, 0)
  const before = await size()
  t.equal((await asShop('DELETE FROM \`a b\` WHERE a > 1')).code, 0)
  t.strictSame(await done('optimize', 'alice', 'alice_shop'), { database: 'alice_shop' })
  t.ok((await size()) < before / 4, `${await size()} of ${before}`)
  const written = await database('export', 'alice', 'alice_shop')
  t.match(written, {
    code: 0,
    stdout: /INSERT INTO \`a b\` VALUES\s*\(1\);[^]*-- Dump completed\n$/,
  })
  const output = '/var/tmp/shop.sql'
  t.equal((await database('export', 'alice', 'alice_shop', '--output', output)).code, 0)
  t.equal(readFileSync(output, 'utf8'), written.stdout)
  t.equal(statSync(output).mode & 0o777, 0o600)
  for (const broken of [
    'CREATE TABLE t (a INT); CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT * FROM v; ' +
      'DROP TABLE t; RENAME TABLE w TO t',
    'CREATE TABLE m (a INT) ENGINE = MyISAM; CREATE TABLE n (a INT) ENGINE = MERGE UNION = (m); ' +
      'DROP TABLE m',
  ]) {
    t.equal((await asShop(broken)).code, 0, broken)
    const { code, stdout } = await database('export', 'alice', 'alice_shop')
    t.match({ code, stdout }, { code: 0, stdout: /INSERT INTO \`a b\`/ }, broken)
  }
  t.equal((await asShop('DROP VIEW t, v; DROP TABLE n')).code, 0)
  for (const words of [
    ['optimize', 'alice', 'alice_none'],
    ['export', 'alice', 'alice_none'],
  ]) {
    t.match(await database(...words), { code: 1, stderr: /Unknown database: alice_none/ })
  }
  await mariadb.stop()
  t.match(await database('export', 'alice', 'alice_shop'), { code: 1, stderr: /mariadb-dump/ })
  await mariadb.start()
})

t.test('a dump is executed with rights on its database alone', async t => {
  await addAccount('bob')
  const { password: bobs } = await done('add', 'bob', 'db')
  await mariadb.as('bob_db', bobs, 'CREATE TABLE kept (a INT)', 'bob_db')
  const before = await look()
  const hostile = `
CREATE TABLE good (a INT);
\\! touch /var/tmp/pwned
system touch /var/tmp/pwned
DROP DATABASE bob_db;
CREATE DATABASE alice_other;
CREATE DEFINER='root'@'localhost' VIEW evil AS SELECT 1;
CREATE VIEW fine AS SELECT a FROM good;
CREATE FUNCTION five() RETURNS INT RETURN 5;
USE bob_db;
DROP TABLE kept;
USE alice_shop;
INSERT INTO good VALUES (1), (2);
`
  for (const [name, packed] of [
    ['plain', Buffer.from(hostile)],
    ['gzip', gzipSync(hostile)],
    ['zstd', zstdCompressSync(hostile)],
  ] as const) {
    writeFileSync('/var/tmp/dump', packed)
    const { refused } = await done('import', 'alice', 'alice_shop', '/var/tmp/dump')
    t.match(refused.join(), /1044|1227/, name)
    t.notOk(existsSync('/var/tmp/pwned'), name)
    t.equal((await asShop('SELECT COUNT(*), five() FROM fine')).stdout, '2\t5\n', name)
    t.equal((await asShop('DROP TABLE good; DROP VIEW fine; DROP FUNCTION five')).code, 0)
    t.strictSame(readdirSync('/var/lib/panel/imports'), [], 'no file is left')
  }
  t.match(await mariadb.as('bob_db', bobs, 'SELECT COUNT(*) FROM kept', 'bob_db'), { code: 0 })
  const { rows } = await panel.pool.query(
    `select id from panel.databases where name = 'alice_shop'`,
  )
  const internal = new RegExp(`^panel_${rows[0].id}\\tlocalhost\\t\\S+\\t1\\t`, 'm')
  t.match(await look(), internal, 'its user is locked')
  writeFileSync('/var/tmp/dump', gzipSync(Buffer.alloc(20 * 1_048_576, '-- \n')))
  await put('starter', { disk_mb: 16 })
  const large = await database('import', 'alice', 'alice_shop', '/var/tmp/dump')
  t.match(large, { code: 1, stderr: /larger than the account's disk/ })
  await put('starter', { disk_mb: 1_024 })
  await done('rm', 'alice', 'alice_shop', '--yes')
  t.notMatch(await look(), internal)
  t.match(before, /bob_db/)
})

t.test('the sizes of 500 databases are read at once', async t => {
  const names = Array.from({ length: 500 }, (_, index) => `many_n${index}`)
  await mariadb.root(
    names
      .map(name => `CREATE DATABASE ${name}; CREATE TABLE ${name}.t (a INT) ENGINE = MyISAM;`)
      .join('\n'),
  )
  await measureDatabases(machine, names.slice(0, 1))
  const begunAt = performance.now()
  const sizes = await measureDatabases(machine, names)
  t.comment(`figure: sizes of 500 databases ${Math.round(performance.now() - begunAt)} ms`)
  t.equal(sizes.filter(bytes => bytes > 0).length, 500)
  t.strictSame(await measureDatabases(machine, ['many_none']), [0])
  await mariadb.root(names.map(name => `DROP DATABASE ${name};`).join('\n'))
})

t.test('routines count, which are in no folder of the database', async t => {
  const text = 'x'.repeat(8_000_000)
  for (const number of [1, 2, 3]) {
    await mariadb.root(`CREATE PROCEDURE bob_db.p${number}() SELECT '${text}'`)
  }
  const [large = 0, none = 0] = await measureDatabases(machine, ['bob_db', 'bob_none'])
  t.ok(large > 48_000_000 && none === 0, `${large} and ${none}`)
})

t.test('a dump that takes longer than an operation goes on, and is taken up again', async t => {
  await mariadb.root('CREATE DATABASE many_slow; CREATE TABLE many_slow.t (a INT)')
  const locking = mariadb.root('LOCK TABLES many_slow.t WRITE; DO SLEEP(600)')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  const folder = '/var/tmp/dumps'
  mkdirSync(folder)
  const dump = (timeoutMs: number) =>
    dumpDatabase(machine, { name: 'many_slow', folder, timeoutMs })
  for (const _ of [1, 2]) await t.rejects(dump(100), /is still being written/)
  t.strictSame(readdirSync(folder), ['many_slow.sql.zst.part'])
  const [id] = /^\d+(?=.*SLEEP)/m.exec(await mariadb.root('SHOW PROCESSLIST')) ?? []
  await Promise.all([t.rejects(locking), mariadb.root(`KILL ${id}`)])
  await dump(60_000)
  const { mtimeMs } = statSync(`${folder}/many_slow.sql.zst`)
  await dump(60_000)
  t.equal(statSync(`${folder}/many_slow.sql.zst`).mtimeMs, mtimeMs, 'once is enough')
  await mariadb.root('DROP DATABASE many_slow')
})

t.test('a database that cannot be read whole has no dump, and is not dropped', async t => {
  await done('add', 'alice', 'last')
  await mariadb.root(`CREATE TABLE alice_last.crashed (a INT) ENGINE = MyISAM;
    INSERT INTO alice_last.crashed VALUES (1), (2); CREATE TABLE alice_last.later (a INT)`)
  const folder = (await mariadb.root('FLUSH TABLES; SELECT @@datadir')).trim()
  const index = `${folder}/alice_last/crashed.MYI`
  const whole = readFileSync(index)
  writeFileSync(index, 'broken')
  const refused = await database('export', 'alice', 'alice_last')
  t.match(refused, { code: 1, stderr: /mariadb-dump ended with 2/ })
  const gone = await panel.call('DELETE', `${accounts}/alice`, { headers: { prefer: 'wait=2' } })
  t.not(gone.status, 200, gone.text)
  t.match(await mariadb.root('SHOW TABLES IN alice_last'), /crashed\n[^]*later/)
  writeFileSync(index, whole)
  await mariadb.root('FLUSH TABLES')
  await until(async () => (await panel.call('GET', `${accounts}/alice`)).status === 404, 60_000)
})
