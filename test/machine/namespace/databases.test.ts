import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import t from 'tap'
import { renderSettings } from '../../../src/host/mariadb/settings.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { run, startServices } from '../machine.ts'
import { socket } from '../mariadb.ts'

// The life of an account's databases on a real MariaDB, through the commands and the panel's own
// worker.

startServices('nginx')
const { panel, mariadb, say, database, done, addAccount, events, look } = await openDatabasePanel(t)
await panel.startMachineWorker()
const put = (name: string, body: object) => panel.call('PUT', `/api/v1/packages/${name}`, { body })
await put('starter', { max_databases: 2 })
await addAccount('alice')
const accounts = '/api/v1/accounts'
const post = (word: string) => panel.call('POST', `${accounts}/alice/${word}`)

let password = ''
const asShop = (statements: string) => mariadb.as('alice_shop', password, statements, 'alice_shop')

t.test('a database is made with a user, whose password is shown once', async t => {
  const key = ['--json', '--idempotency-key', 'one']
  const added = await database('add', 'alice', 'shop', ...key)
  t.equal(added.code, 0, added.stderr)
  const { password: made, ...shown } = added.json()
  t.strictSame(shown, {
    ...{ database: 'alice_shop', user: 'alice_shop' },
    ...{ host: 'localhost', socket },
  })
  t.match(made, /^[A-Za-z0-9]{24}$/)
  password = made
  const again = await database('add', 'alice', 'shop', ...key)
  t.strictSame(again.json(), shown, 'a repeat gets the same answer, and no password')
  t.match(await asShop('SELECT CURRENT_USER()'), { code: 0, stdout: 'alice_shop@localhost\n' })
  t.equal((await asShop('CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2)')).code, 0)
  t.strictSame(await events('database.created'), [
    { name: 'database.created', data: { username: 'alice', database: 'alice_shop' } },
  ])
  const { stdout } = await run('grep', ['-rl', made, '/var/lib/panel', '/var/log', '/etc/panel'])
  t.equal(stdout, '')
  const { rows } = await panel.pool.query(
    `select query_to_xml('select * from panel.' || tablename, true, true, '')::text as text
     from pg_tables where schemaname = 'panel'`,
  )
  t.notOk(
    rows.some(({ text }) => text.includes(made)),
    'no row has it',
  )
})

t.test('a database that cannot be made is reported, and nothing has changed', async t => {
  await addAccount('bob')
  await mariadb.root(`CREATE DATABASE bob_old; CREATE USER bob_mine@localhost`)
  const before = await look()
  const refused: [words: string[], code: number, sentence: RegExp][] = [
    [['add', 'alice', 'shop'], 1, /alice_shop is taken/],
    [['add', 'alice', 'SHOP'], 2, /SUFFIX must be 1 to 16 lower-case/],
    [['add', 'alice', 'a_b'], 2, /SUFFIX must be/],
    [['add', 'alice', 'x`; DROP DATABASE mysql; --'], 2, /SUFFIX must be/],
    [['add', 'alice', '../mysql'], 2, /SUFFIX must be/],
    [['add', 'alice', 'é'], 2, /SUFFIX must be/],
    [['add', 'alice', ''], 2, /SUFFIX must be/],
    [['add', 'alice', 'a'.repeat(17)], 2, /SUFFIX must be/],
    [['add', 'ghost', 'shop'], 1, /Unknown account: ghost/],
    [['rm', 'alice', 'bob_old', '--yes'], 1, /Unknown database: bob_old/],
    [['rm', 'alice', 'mysql'], 2, /DATABASE must be a name such as/],
    [['password', 'alice', 'root'], 2, /USER must be a name such as/],
    [['password', 'alice', 'bob_mine'], 1, /Unknown database user: bob_mine/],
    [['user', 'alice', 'alice_shop', 'bob_mine'], 1, /user must be alice_ and/],
    [['user', 'alice', 'alice_shop', 'alice_shop', '--rights', 'super'], 2, /must be all, read/],
    // Unmanaged databases and users on the machine, which no row knows.
    [['add', 'bob', 'old'], 1, /A database bob_old already exists on this server/],
    [['add', 'bob', 'mine'], 1, /A database user bob_mine already exists on this server/],
  ]
  for (const [words, code, sentence] of refused) {
    t.match(await database(...words), { code, stdout: '', stderr: sentence }, words.join(' '))
  }
  t.equal(await look(), before)
  t.equal((await events('database.created')).length, 1)
  await until(async () => (await panel.pool.query(`select from panel.databases`)).rowCount === 1)
  await mariadb.root(`DROP DATABASE bob_old; DROP USER bob_mine@localhost`)
})

t.test('two at once cannot both take the last place', async t => {
  const both = await Promise.all(['one', 'two'].map(name => database('add', 'alice', name)))
  t.strictSame(both.map(({ code }) => code).sort(), [0, 1])
  t.match(
    both.find(({ code }) => code === 1)?.stderr,
    /allows 2 databases, and the account already has/,
  )
  const { databases } = (await say('database', 'ls', 'alice', '--json')).json()
  t.equal(databases.length, 2)
  const [other] = databases.filter(
    ({ database: name }: { database: string }) => name !== 'alice_shop',
  )
  await done('rm', 'alice', other.database, '--yes')
})

t.test('a user may read only, or no more, and goes with its last database', async t => {
  const words = ['user', 'alice', 'alice_shop', 'alice_report']
  const { password: made, ...shown } = await done(...words, '--rights', 'read')
  t.strictSame(shown, { database: 'alice_shop', user: 'alice_report', rights: 'read' })
  const asReport = (text: string) => mariadb.as('alice_report', made, text, 'alice_shop')
  t.match(await asReport('SELECT COUNT(*) FROM t'), { code: 0, stdout: '2\n' })
  t.match(await asReport('INSERT INTO t VALUES (3)'), { code: 1, stderr: /1142/ })
  t.strictSame(await done(...words), { ...shown, rights: 'all' }, 'who is there keeps the password')
  t.equal((await asReport('INSERT INTO t VALUES (3)')).code, 0)
  await done(...words, '--rights', 'read')
  t.match(await asReport('DELETE FROM t'), { code: 1, stderr: /1142/ })
  await done(...words, '--rights', 'none')
  t.match(await asReport('SELECT 1'), { code: 1, stderr: /1045|1698/ })
  t.match((await say('database', 'ls', 'alice')).stdout, /^alice_shop +alice_shop \(all\)$/m)
})

t.test('a new password ends who is connected by the old one', async t => {
  const open = mariadb.as('alice_shop', password, 'SELECT SLEEP(600)')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  const old = password
  ;({ password } = await done('password', 'alice', 'alice_shop'))
  t.not((await open).code, 0)
  t.match(await mariadb.as('alice_shop', old, 'SELECT 1'), { code: 1, stderr: /1045/ })
  t.equal((await asShop('SELECT 1')).code, 0)
})

t.test('a suspension ends 50 connections, and is lifted exactly', async t => {
  await put('starter', { database_connections: 60 })
  await until(async () => (await look()).includes('\t60\n'))
  await done('user', 'alice', 'alice_shop', 'alice_report', '--rights', 'read')
  const before = await look()
  // One of them in a transaction, which has a lock on the table.
  const connected = Array.from({ length: 50 }, (_, number) =>
    asShop(`${number === 0 ? 'BEGIN; DELETE FROM t; ' : ''}SELECT SLEEP(600)`),
  )
  const open = () =>
    mariadb.root(`SELECT COUNT(*) FROM information_schema.PROCESSLIST
    WHERE USER = 'alice_shop'`)
  await until(async () => (await open()) === '50\n')
  t.equal((await post('suspend')).status, 200)
  t.equal(await open(), '0\n', 'none is left when the answer comes')
  for (const { code } of await Promise.all(connected)) t.not(code, 0)
  t.match(await asShop('SELECT 1'), { code: 1, stderr: /4151/ })
  t.equal((await post('unsuspend')).status, 200)
  t.equal(await look(), before)
  t.equal((await asShop('SELECT COUNT(*) FROM t')).stdout, '3\n')
})

t.test('a package’s connections are the limit of each user', async t => {
  await put('narrow', { max_databases: 2, database_connections: 2 })
  const change = (name: string) =>
    panel.call('PUT', `${accounts}/alice/package`, { body: { package: name } })
  const changed = await change('narrow')
  t.equal(changed.status, 200, changed.text)
  const held = [1, 2].map(() => asShop('SELECT SLEEP(600)'))
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).split('SLEEP').length - 1 === 2)
  t.match(await asShop('SELECT 1'), { code: 1, stderr: /1226/ })
  t.equal((await change('starter')).status, 200)
  await mariadb.root(`KILL HARD USER 'alice_shop'@'localhost'`)
  await Promise.all(held)
  await put('none', { max_databases: 0 })
  t.match(await change('none'), { status: 400, body: { error: /none allows 0 databases; the/ } })
})

t.test('drift is reported and put right, but for the customer’s own settings', async t => {
  const before = await look()
  const drift = async () => {
    const result = await say('ctl', 'rebuild', 'alice', '--dry-run', '--json')
    return result.stdout
  }
  t.notMatch(await drift(), /database/)
  await mariadb.root(`
    REVOKE DELETE ON \`alice\\_shop\`.* FROM alice_shop@localhost;
    GRANT SELECT ON mysql.* TO alice_shop@localhost;
    DROP USER alice_report@localhost; DROP USER \`${/^panel_\d+/m.exec(before)![0]}\`@localhost;
    ALTER USER alice_shop@localhost WITH MAX_USER_CONNECTIONS 1 ACCOUNT LOCK`)
  const reported = await drift()
  for (const words of [
    'rights of',
    'user alice_report',
    'no internal user panel_',
    'limits',
    'may not log in',
  ]) {
    t.match(reported, new RegExp(words), words)
  }
  t.equal((await say('ctl', 'rebuild', 'alice')).code, 0)
  t.equal(await look(), before)
  t.notMatch(await drift(), /database/)

  const own = 'SET PASSWORD = PASSWORD("chosen by alice")'
  t.equal((await asShop(own)).code, 0)
  t.notMatch(await drift(), /database/)
  t.equal((await say('ctl', 'rebuild', 'alice')).code, 0)
  const chosen = 'chosen by alice'
  t.equal((await mariadb.as('alice_shop', chosen, 'SELECT 1')).code, 0, 'its own stays')
  ;({ password } = await done('password', 'alice', 'alice_shop'))
  t.equal((await asShop('SELECT 1')).code, 0)
})

t.test('doctor reports how open the server is, which the panel’s own settings close', async t => {
  const doctor = async () => {
    const result = await say('ctl', 'doctor', '--json')
    const { checks } = result.json()
    return checks.filter(({ name }: { name: string }) => name.startsWith('mariadb/'))
  }
  t.match(await doctor(), [{ state: 'ok' }, { state: 'ok' }])
  await mariadb.root('SET GLOBAL local_infile = ON')
  t.match(await doctor(), [{ state: 'ok' }, { state: 'warning', sentence: /: local_infile$/ }])
  await mariadb.root('SET GLOBAL local_infile = OFF')
  for (const memoryMb of [1_024, 16_384]) {
    writeFileSync('/var/tmp/panel.cnf', renderSettings(memoryMb))
    const words = ['--defaults-file=/var/tmp/panel.cnf', '--user=root', '--help', '--verbose']
    const { code, stdout, stderr } = await run('mariadbd', words)
    t.equal(code, 0, stderr)
    t.notMatch(stderr, /unknown|\[ERROR\]/)
    for (const line of ['skip-networking +TRUE', 'local-infile +FALSE', 'symbolic-links +FALSE']) {
      t.match(stdout, new RegExp(`^${line}`, 'm'), line)
    }
  }
})

t.test('an unmanaged database is left alone', async t => {
  await mariadb.root(`CREATE DATABASE alice_xshop; CREATE USER alice_x@localhost;
    CREATE USER 'alice_shop'@'%'; GRANT SELECT ON alice_xshop.* TO 'alice_shop'@'%'`)
  const before = await look()
  t.equal((await say('ctl', 'rebuild', 'alice')).code, 0)
  t.equal((await post('suspend')).status, 200)
  t.equal((await post('unsuspend')).status, 200)
  t.equal(await look(), before)
  await mariadb.root(`DROP DATABASE alice_xshop; DROP USER alice_x@localhost;
    DROP USER 'alice_shop'@'%'`)
})

t.test('after a loss of MariaDB a rebuild brings the users back with their passwords', async t => {
  const before = await look()
  await mariadb.root(`DROP DATABASE alice_shop; DROP USER alice_shop@localhost;
    DROP USER alice_report@localhost`)
  t.equal((await say('ctl', 'rebuild', 'alice')).code, 0)
  t.equal(await look(), before)
  t.equal((await asShop('CREATE TABLE t (a INT); INSERT INTO t VALUES (7)')).code, 0)
})

t.test('a dropped database is gone with its users, and reported once', async t => {
  await done('add', 'alice', 'blog')
  t.strictSame(await done('rm', 'alice', 'alice_blog', '--yes'), { database: 'alice_blog' })
  t.notMatch(await look(), /blog/)
  t.match(await database('rm', 'alice', 'alice_blog', '--yes'), { code: 1, stderr: /Unknown/ })
  const deleted = (await events('database.deleted')).map(({ data }) => data.database)
  t.equal(deleted.filter(name => name === 'alice_blog').length, 1)
  t.equal((await done('add', 'alice', 'blog')).database, 'alice_blog', 'its name is free')
})

t.test('a terminated account’s databases are in the trash, whole, and then gone', async t => {
  await asShop(`CREATE VIEW v AS SELECT a FROM t; CREATE VIEW broken AS SELECT a FROM t;
    CREATE FUNCTION f() RETURNS INT RETURN 5; CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW
    SET NEW.a = NEW.a; CREATE TABLE u (b INT); CREATE OR REPLACE VIEW broken AS SELECT b FROM u;
    DROP TABLE u; CREATE TABLE one (a INT) ENGINE = MyISAM;
    CREATE TABLE joined (a INT) ENGINE = MERGE UNION = (one); DROP TABLE one`)
  const { rows } = await panel.pool.query(`select uid from panel.accounts where username = 'alice'`)
  const open = asShop('SELECT SLEEP(600)')
  await until(async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP'))
  const gone = await panel.call('DELETE', `${accounts}/alice`)
  t.equal(gone.status, 200, gone.text)
  t.not((await open).code, 0)
  t.notMatch(await look(), /alice/)
  const folder = `/home/.trash/${rows[0].uid}/databases`
  t.match(statSync(folder), { uid: 0, gid: 0 })
  t.equal(statSync(folder).mode & 0o777, 0o700)
  const path = `${folder}/alice_shop.sql.zst`
  t.equal(statSync(path).mode & 0o777, 0o600)
  const dump = zstdDecompressSync(readFileSync(path)).toString()
  t.match(dump, /INSERT INTO `t` VALUES\s*\(7\)/)
  for (const part of ['VIEW `v`', 'FUNCTION `f`', 'TRIGGER', '-- Dump completed']) {
    t.ok(dump.includes(part), part)
  }
  t.notOk(existsSync(`${path}.part`))
  const names = (await events('database.deleted')).map(({ data }) => data.database)
  for (const name of ['alice_shop', 'alice_blog']) {
    t.ok(names.filter(one => one === name).length >= 1, name)
  }
  const left = await panel.pool.query(`select from panel.databases`)
  t.equal(left.rowCount, 0)

  await addAccount('alice', { domain: alice.domain })
  t.equal((await done('add', 'alice', 'shop')).database, 'alice_shop', 'all names are free')
})
