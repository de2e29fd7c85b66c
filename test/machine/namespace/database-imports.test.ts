import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { run, startServices } from '../machine.ts'
import { socket } from '../mariadb.ts'

// Dumps that go into a database: what ends one, and what of others is made its own.

startServices('nginx')
const { panel, mariadb, say, database, done, addAccount } = await openDatabasePanel(t)
await panel.startMachineWorker()
const put = (name: string, body: object) => panel.call('PUT', `/api/v1/packages/${name}`, { body })
await put('starter', { max_databases: 3 })
await addAccount('alice')
const accounts = '/api/v1/accounts'
const post = (word: string) => panel.call('POST', `${accounts}/alice/${word}`)
const { password } = await done('add', 'alice', 'shop')
const asShop = (statements: string) => mariadb.as('alice_shop', password, statements, 'alice_shop')
const shown = () => mariadb.root('SHOW FULL PROCESSLIST')
const isSleeping = async () => (await shown()).includes('SLEEP')

/** A dump that is on its way until something ends it. */
async function begin(statements: string): Promise<{ running: ReturnType<typeof database> }> {
  writeFileSync('/var/tmp/dump', `${statements}; DO SLEEP(600); CREATE TABLE late (a INT);\n`)
  const running = database('import', 'alice', 'alice_shop', '/var/tmp/dump')
  await until(isSleeping)
  return { running: running }
}

async function expectEnded(t: Test, running: ReturnType<typeof database>, why: RegExp) {
  t.match(await running, { code: 1, stderr: why })
  t.match((await running).stderr, /\. The first part of the file has been imported/)
  t.notOk(await isSleeping())
  t.notMatch(await mariadb.root('SHOW TABLES IN alice_shop'), /late/)
  const locked = `SELECT JSON_VALUE(Priv, '$.account_locked') FROM mysql.global_priv
    WHERE User LIKE 'panel%'`
  t.equal(await mariadb.root(locked), '1\n', 'its user is locked')
}

t.test('a suspension waits for no import', async t => {
  const { running } = await begin('CREATE TABLE one (a INT)')
  t.equal((await post('suspend')).status, 200)
  await expectEnded(t, running, /The import was stopped: the account is being suspended/)
  t.equal((await post('unsuspend')).status, 200)
  t.equal((await asShop('SHOW TABLES')).stdout, 'one\n')
})

t.test('a suspension waits for no tables that are rebuilt', async t => {
  const open = asShop('BEGIN; SELECT * FROM one; DO SLEEP(600)')
  await until(isSleeping)
  const optimizing = database('optimize', 'alice', 'alice_shop')
  await until(async () => (await shown()).includes('OPTIMIZE'))
  t.equal((await post('suspend')).status, 200)
  t.match(await optimizing, { code: 1, stderr: /It was stopped: the account is being suspended/ })
  t.notMatch(await shown(), /OPTIMIZE/)
  t.not((await open).code, 0)
  t.equal((await post('unsuspend')).status, 200)
})

t.test('an import ends where the account is full by it', async t => {
  await put('starter', { max_databases: 3, disk_mb: 16 })
  const rows = `INSERT INTO big SELECT REPEAT('x', 1000000) FROM seq_1_to_20`
  const { running } = await begin(`CREATE TABLE big (a LONGBLOB); ${rows}`)
  await panel.pool.query(`select worker_queue.add_job('usage/databases')`)
  await expectEnded(t, running, /The import was stopped: the account's disk is full/)
  await until(async () => (await asShop('CREATE TABLE more (a INT)')).stderr.includes('1142'))
  t.equal((await asShop('DROP TABLE big')).code, 0)
  await put('starter', { max_databases: 3, disk_mb: 1_024 })
  await panel.pool.query(`select worker_queue.add_job('usage/databases')`)
  await until(async () => (await asShop('CREATE TABLE more (a INT)')).code === 0)
})

t.test('an import that MariaDB ends says so, and that the first part is there', async t => {
  const { running } = await begin('CREATE TABLE two (a INT)')
  const [id] = /^\d+(?=\tpanel_)/m.exec(await shown()) ?? []
  await mariadb.root(`KILL ${id}`)
  await expectEnded(t, running, /MariaDB stopped the import/)
})

t.test('an invalid dump is refused at both channels alike, and nothing of it is done', async t => {
  for (const [name, file] of [
    ['nothing', Buffer.alloc(0)],
    ['nothing and gzip', gzipSync('')],
    ['bzip2', Buffer.from('BZh91AY&SY')],
    ['zip', Buffer.from('PK\u0003\u0004')],
    ['xz', Buffer.from('\xfd7zXZ', 'latin1')],
    ['tar and gzip', gzipSync(Buffer.alloc(10_240))],
  ] as const) {
    writeFileSync('/var/tmp/dump', file)
    const result = await database('import', 'alice', 'alice_shop', '/var/tmp/dump')
    t.match(result, { code: 1, stderr: /This is not a dump: send SQL.*zstd$/m }, name)
  }
})

t.test('a client that does not do its work reports its obstacle', async t => {
  // Larger than what a pipe takes from us before anybody reads it.
  writeFileSync('/var/tmp/dump', `CREATE TABLE kept (a TEXT);\n-- ${'x'.repeat(4_000_000)}\n`)
  const begins = (words: string) =>
    `The import could not start on this server: ${words}. Nothing was imported`
  const report = (words: string) => `echo '${words}' >&2; exit 1`
  const denied = 'unshare: unshare failed: Operation not permitted'
  const crowded = 'ERROR 1040 (08004): Too many connections'
  const older = 'mariadb: unknown option --sandbox'
  const goesOn = '. The first part of the file has been imported'
  for (const [program, script, words] of [
    ['unshare', report(denied), begins(denied)],
    ['mariadb', report(crowded), begins(crowded)],
    ['mariadb', report(older), begins(older)],
    ['mariadb', 'exit 0', `The client stopped before the end of the dump${goesOn}`],
    ['mariadb', 'kill -9 $$', `The import was stopped: its client was killed${goesOn}`],
    ['mariadb', report('ERROR 2013 (HY000) at line 1: Lost'), `stopped the import: ERROR 2013`],
  ] as const) {
    writeFileSync('/var/tmp/stub', `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    await run('mount', ['--bind', '/var/tmp/stub', `/usr/bin/${program}`])
    const result = await database('import', 'alice', 'alice_shop', '/var/tmp/dump')
    await run('umount', [`/usr/bin/${program}`])
    t.equal(result.code, 1, script)
    // A failure of the server's is reported to its administrator alone.
    const [, id] = /failed and was undone.*panel jobs show (\S+)/.exec(result.stderr) ?? []
    const reported = id === undefined ? result.stderr : (await say('jobs', 'show', id)).stdout
    t.equal(id !== undefined, words.startsWith('The import could not start'), result.stderr)
    t.match(reported, words, script)
  }
  t.strictSame((await done('import', 'alice', 'alice_shop', '/var/tmp/dump')).refused, [])
  t.equal((await asShop('DROP TABLE kept')).code, 0)
})

t.test('a path that is no file is reported by its own name, and never waited for', async t => {
  await run('mkfifo', ['/var/tmp/pipe'])
  for (const [file, words] of [
    ['/var/tmp/none', 'cannot be copied (ENOENT)'],
    ['/var/tmp', 'is not a file'],
    ['/var/tmp/pipe', 'is not a file'],
  ] as const) {
    const { code, stderr } = await database('import', 'alice', 'alice_shop', file)
    t.equal(code, 1)
    t.match(stderr.trim().split('\n').at(-1), `${file} ${words}`)
    t.notMatch(stderr, 'imports')
  }
  t.strictSame(readdirSync('/var/lib/panel/imports'), [])
})

t.test('no process of the account can look at the client and its password', async t => {
  const { running } = await begin('DO 1')
  const { rows } = await panel.pool.query(`select uid from panel.accounts where username = 'alice'`)
  const [pid = ''] = (await run('pgrep', ['-x', 'mariadb'])).stdout.split('\n')
  t.match(await run('cat', [`/proc/${pid}/environ`]), { code: 0, stdout: /MYSQL_PWD/ })
  const tried = await run('setpriv', [
    ...[`--reuid=${rows[0].uid}`, `--regid=${rows[0].uid}`, '--clear-groups', '--'],
    ...['cat', `/proc/${pid}/environ`],
  ])
  t.match(tried, { code: 1, stdout: '', stderr: /No such file/ })
  t.equal((await post('suspend')).status, 200)
  t.equal((await running).code, 1)
  t.equal((await post('unsuspend')).status, 200)
})

t.test('an export goes into another database, with all that was made in it', async t => {
  const made = await asShop(`CREATE TABLE kept (a INT, b TEXT);
    INSERT INTO kept VALUES (1, '; CREATE DEFINER=root@localhost VIEW v'), (2, 'it''s');
    CREATE VIEW seen AS SELECT a FROM kept; CREATE FUNCTION five() RETURNS INT RETURN 5;
    CREATE SQL SECURITY INVOKER VIEW invoked AS SELECT a FROM kept;
    CREATE PROCEDURE put(x INT) INSERT INTO kept VALUES (x, 'put');
    CREATE TRIGGER ten BEFORE INSERT ON kept FOR EACH ROW SET NEW.a = NEW.a * 10`)
  t.equal(made.code, 0, made.stderr)
  // No customer may do these, but other servers' dumps have them.
  await mariadb.root(`CREATE EVENT alice_shop.tick ON SCHEDULE EVERY 1 DAY DO DELETE FROM kept`)
  t.equal((await database('export', 'alice', 'alice_shop', '--output', '/var/tmp/own.sql')).code, 0)
  t.match(readFileSync('/var/tmp/own.sql', 'utf8'), /DEFINER=`alice_shop`@`localhost`/)
  const { password: others } = await done('add', 'alice', 'copy')
  const asCopy = (text: string) => mariadb.as('alice_copy', others, text, 'alice_copy')
  const imported = await done('import', 'alice', 'alice_copy', '/var/tmp/own.sql')
  t.strictSame(imported, { database: 'alice_copy', refused: [] })
  const used = await asCopy(`CALL put(3); SELECT five(), (SELECT COUNT(*) FROM seen),
    (SELECT SUM(a) FROM invoked), (SELECT b FROM kept WHERE a = 1)`)
  t.equal(used.stdout, '5\t3\t33\t; CREATE DEFINER=root@localhost VIEW v\n', used.stderr)
  const definers = `SELECT DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'alice_copy'
    UNION SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'alice_copy'
    UNION SELECT DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = 'alice_copy'`
  t.match(await mariadb.root(definers), /^panel_\d+@localhost\n$/)

  const whole = await run('mariadb-dump', [
    ...['--no-defaults', `--socket=${socket}`, '--user=root', '--events', '--routines'],
    ...['--add-drop-database', '--databases', 'alice_shop'],
  ])
  writeFileSync('/var/tmp/all.sql', whole.stdout)
  const { refused } = await done('import', 'alice', 'alice_shop', '/var/tmp/all.sql')
  t.match(refused.join('\n'), /1044[^]*alice_shop/, 'the event is left out, and reported')
  t.equal((await asShop('SELECT five() FROM seen LIMIT 1')).stdout, '5\n')

  const elsewhere = await done('import', 'alice', 'alice_copy', '/var/tmp/all.sql')
  t.match(elsewhere.refused[0], /^USE alice_shop: the rest is for another database/)
})

t.test('a termination ends it too', async t => {
  const { running } = await begin('CREATE TABLE three (a INT)')
  const gone = panel.call('DELETE', `${accounts}/alice`)
  t.equal((await gone).status, 200)
  t.match(await running, {
    code: 1,
    stderr: /The import was stopped: the account is being terminated/,
  })
})
