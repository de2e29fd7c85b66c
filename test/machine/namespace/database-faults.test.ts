import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs'
import t from 'tap'
import { PanelError } from '../../../src/errors.ts'
import { notAnswering } from '../../../src/host/mariadb/client.ts'
import { dropDatabase } from '../../../src/host/databases/statements.ts'
import { isFull } from '../../support/full.ts'
import { until } from '../../support/until.ts'
import { openDatabasePanel } from '../databases.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { workerOf } from '../../support/worker.ts'
import { run, startServices } from '../machine.ts'
import { socket } from '../mariadb.ts'
import { mariaDb } from '../../../src/host/mariadb/mariadb.ts'
import { replacePart } from '../fixtures/replace-part.ts'

// MariaDB is down, hangs or dies: clear errors, and recovery without hands.

startServices('nginx')
const { panel, mariadb, database, done, addAccount, events, look } = await openDatabasePanel(t, {
  dataMb: 200,
})
const machine = openMachine({ kind: 'linux', root: '/' })
const databases = machine.part(mariaDb)
const sent: string[] = []
let beforeEach = async (_statement: string): Promise<void> => {}
const watched = {
  ...databases,
  async query(statement: string) {
    await beforeEach(statement)
    sent.push(statement)
    return databases.query(statement)
  },
  open(start: string) {
    sent.push('open')
    databases.open(start)
  },
}
const worker = await workerOf(panel.databaseUrl, replacePart(machine, mariaDb, watched))
t.teardown(worker.stop)
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_databases: 5 } })
await addAccount('alice')
const { password } = await done('add', 'alice', 'shop')
const asShop = (statement = 'SELECT 1') =>
  mariadb.as('alice_shop', password, statement, 'alice_shop')
const warning = async () => {
  const { rows } = await panel.pool.query(
    `select service_warnings ->> 'databases' as warning from panel.server`,
  )
  return rows[0].warning as string | null
}
const account = () => panel.call('GET', '/api/v1/accounts/alice')
const isApplied = async () => {
  const { rows } = await panel.pool.query(
    `select bool_and(is_applied) and not exists (
       select from panel.operations where state not in ('done', 'failed')) as is_applied
     from panel.accounts where state = 'active'`,
  )
  return rows[0].is_applied as boolean
}

t.test('a MariaDB that dies during a create leaves nothing, and the key is free', async t => {
  const before = await look()
  for (const kind of ['CREATE DATABASE', 'CREATE USER', 'GRANT']) {
    beforeEach = async statement => {
      if (!statement.startsWith(kind)) return
      beforeEach = async () => {}
      await mariadb.stop('SIGKILL')
    }
    const words = ['add', 'alice', 'late', '--idempotency-key', `dies at ${kind}`]
    t.match(await database(...words), { code: 1, stderr: /failed and was undone/ }, kind)
    await mariadb.start()
    await until(isApplied)
    t.equal(await look(), before, kind)
    t.equal((await events('database.created')).length, 1)
    await until(async () => (await warning()) === null)
  }
  t.equal((await database('add', 'alice', 'late', '--idempotency-key', 'dies at GRANT')).code, 0)
  await done('rm', 'alice', 'alice_late', '--yes')
})

t.test('a suspension waits for nothing that was left half done', async t => {
  const before = await look()
  beforeEach = async statement => {
    if (!statement.startsWith('CREATE USER')) return
    beforeEach = async () => {}
    await mariadb.stop('SIGKILL')
  }
  t.match(await database('add', 'alice', 'late'), { code: 1, stderr: /failed and was undone/ })
  const post = (word: string) => panel.call('POST', `/api/v1/accounts/alice/${word}`)
  t.match(await post('suspend'), { status: 200, body: { state: 'suspended' } })
  await mariadb.start()
  await until(async () => !(await look()).includes('alice_late'))
  await until(async () => (await warning()) === null)
  await until(async () => (await asShop()).stderr.includes('4151'))
  t.equal((await post('unsuspend')).status, 200)
  t.equal(await look(), before)
  t.equal((await database('add', 'alice', 'late')).code, 0, 'its name is free')
  await done('rm', 'alice', 'alice_late', '--yes')
})

t.test('while it is down all says so, and what can be done without it is', async t => {
  await addAccount('carol')
  await done('add', 'carol', 'db')
  await mariadb.stop()
  await until(async () => (await warning()) !== null)
  for (const words of [
    ['add', 'alice', 'other'],
    ['rm', 'alice', 'alice_shop', '--yes'],
    ['password', 'alice', 'alice_shop'],
    ['user', 'alice', 'alice_shop', 'alice_x'],
  ]) {
    const result = await database(...words, '--json')
    t.match(result, { code: 1, stderr: /MariaDB does not answer.*"unavailable"/ }, words.join(' '))
  }
  t.match((await account()).body.warnings.at(-1), /MariaDB does not answer/)
  await addAccount('dora')
  const suspended = await panel.call('POST', '/api/v1/accounts/alice/suspend')
  t.match(suspended, { status: 200, body: { state: 'suspended' } })
  const terminating = panel.call('DELETE', '/api/v1/accounts/carol')
  await until(async () => {
    const { body } = await panel.call('GET', '/api/v1/accounts/carol')
    return body.state === 'terminating'
  })
  await until(async () => {
    const { rowCount } = await panel.pool.query(
      `select from panel.operations where name = 'account/terminate' and error ~ 'MariaDB'`,
    )
    return rowCount === 1
  })

  await mariadb.start()
  await until(async () => (await warning()) === null)
  await until(async () => (await asShop()).stderr.includes('4151'))
  const after = (await account()).body
  t.equal(after.state, 'suspended')
  t.notMatch(after.warnings.join(), /MariaDB/)
  t.equal((await terminating).status, 200)
  t.notMatch(await look(), /carol/)
  const gone = (await events('database.deleted')).filter(({ data }) => data.username === 'carol')
  t.equal(gone.length, 1)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  t.equal((await asShop()).code, 0)
})

t.test('a started MariaDB accepts logins only after the inactive users are locked', async t => {
  await done('add', 'dora', 'db')
  await mariadb.stop()
  // As its unit does.
  chmodSync('/run/mysqld', 0o700)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
  const terminating = panel.call('DELETE', '/api/v1/accounts/dora')
  await until(async () => {
    const { body } = await panel.call('GET', '/api/v1/accounts/dora')
    return body.state === 'terminating'
  })
  sent.length = 0
  await mariadb.start()
  await until(() => sent.includes('open'))
  for (const name of ['alice_shop', 'dora_db']) {
    const locked = sent.indexOf(`ALTER USER '${name}'@'localhost' ACCOUNT LOCK`)
    t.ok(locked >= 0 && locked < sent.indexOf('open'), name)
  }
  t.equal(statSync('/run/mysqld').mode & 0o777, 0o755)
  t.match(await asShop(), { code: 1, stderr: /4151/ })
  t.equal((await terminating).status, 200)
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  t.equal((await asShop()).code, 0)
})

t.test('a MariaDB that was away for a moment gets the desired state afterwards', async t => {
  await until(isApplied)
  beforeEach = async statement => {
    if (!statement.includes('alice_shop')) return
    beforeEach = async () => {}
    throw new PanelError('unavailable', notAnswering)
  }
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
  await until(async () => (await asShop()).stderr.includes('4151'))
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  t.equal((await asShop()).code, 0)
})

t.test('a table lock delays no other account, and no drop after its end', async t => {
  const { password: made } = await done('add', 'alice', 'locked')
  const prepared = `CREATE TABLE p (a INT); XA START 'it''s'; INSERT INTO p VALUES (1);
    XA END 'it''s'; XA PREPARE 'it''s'`
  t.equal((await mariadb.as('alice_locked', made, prepared, 'alice_locked')).code, 0)
  const reading = mariadb.root('USE alice_locked; BEGIN; SELECT * FROM p; DO SLEEP(600)')
  const isReading = async () => (await mariadb.root('SHOW PROCESSLIST')).includes('SLEEP')
  await Promise.race([until(isReading), reading])
  const dropping = databases.query(dropDatabase('alice_locked')).then(
    () => 'the drop',
    () => 'the drop',
  )
  t.equal(await Promise.race([dropping, databases.query('DO 1').then(() => 'another')]), 'another')
  t.strictSame(await done('rm', 'alice', 'alice_locked', '--yes'), { database: 'alice_locked' })
  await dropping
  t.notMatch(await look(), /locked/)
  await t.rejects(reading, 'who was reading it is ended')
  t.equal(await mariadb.root('XA RECOVER'), '')
})

t.test('one whose disk is full goes on when there is room', async t => {
  await addAccount('fay')
  const fill = `${mariadb.folder}/fill`
  await run('dd', ['if=/dev/zero', `of=${fill}`])
  t.match(await asShop('CREATE TABLE more (a INT)'), { code: 1, stderr: /No space left/ })
  const words = ['add', 'fay', 'shop', '--idempotency-key', 'full', '--json']
  if (isFull) {
    // A write without room waits in MariaDB, which checks for it once a minute.
    const added = await database(...words)
    if (added.code !== 0) t.match(added.stderr, /does not answer|failed and was undone/)
    t.equal((await panel.call('POST', '/api/v1/accounts/alice/suspend')).status, 200)
  }
  rmSync(fill)
  await until(async () => (await warning()) === null, 120_000)
  await until(isApplied, 120_000)
  if (isFull) {
    t.match(await asShop(), { code: 1, stderr: /4151/ })
    t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  }
  t.equal((await database(...words)).code, 0)
  t.equal((await asShop('CREATE TABLE more (a INT); DROP TABLE more')).code, 0)
})

t.test('an upgraded MariaDB keeps its databases and users', async t => {
  const before = await look()
  const upgraded = await run('mariadb-upgrade', [
    ...['--no-defaults', `--socket=${socket}`, '--user=root', '--force', '--upgrade-system-tables'],
  ])
  t.equal(upgraded.code, 0, upgraded.stderr)
  t.equal(await look(), before)
  t.equal((await asShop()).code, 0)
  await done('user', 'alice', 'alice_shop', 'alice_new')
  await done('user', 'alice', 'alice_shop', 'alice_new', '--rights', 'none')
  t.equal(await look(), before)
})

t.test('a MariaDB that hangs delays others only briefly', async t => {
  await addAccount('carl')
  const before = await look()
  const isStopped = async () =>
    /^State:\s+T/m.test(readFileSync(`/proc/${mariadb.pid()}/status`, 'utf8'))
  beforeEach = async statement => {
    if (!statement.startsWith('CREATE USER')) return
    beforeEach = async () => {}
    process.kill(mariadb.pid(), 'SIGSTOP')
    // A busy machine stops it a moment later, after it has executed the statement.
    await until(isStopped)
  }
  const adding = database('add', 'carl', 'db', '--json')
  await until(isStopped)
  const suspended = await panel.call('POST', '/api/v1/accounts/alice/suspend')
  t.equal(suspended.status, 200, suspended.text)
  t.match(await adding, { code: 1, stderr: /failed and was undone|does not answer/ })
  await until(async () => (await warning()) !== null, 40_000)
  t.match(await database('add', 'alice', 'other'), { code: 1, stderr: /does not answer/ })
  process.kill(mariadb.pid(), 'SIGCONT')
  await until(async () => (await warning()) === null, 40_000)
  await until(async () => (await asShop()).stderr.includes('4151'))
  t.equal((await panel.call('POST', '/api/v1/accounts/alice/unsuspend')).status, 200)
  await until(isApplied)
  t.equal(await look(), before)
})
