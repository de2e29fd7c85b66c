import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openLocks } from '../../src/queue/locks.ts'
import { courierOn, emitted, serverKey, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { alice, openPanel } from '../support/panel.ts'
import { receiverFor } from '../support/receiver.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { workerOn } from '../support/worker.ts'
import { passphrase, runQuick } from '../support/cli/backups.ts'

// A restore closes what was in progress when the backup was made.

t.setTimeout(150_000)
const panel = await openPanel(t, { hasWorker: false })
const fresh = await database(t)
const [oldDir, newDir] = [dirname(panel.root), scratch(t)]
const file = join(newDir, 'backup.age')
const environmentOf = (url: string, dir: string) => ({
  DATABASE_URL: url,
  PANEL_STATE_DIR: dir,
  PANEL_HOOKS_DIR: join(dir, 'hooks'),
})
const to = environmentOf(fresh.url, newDir)
const restore = (...words: string[]) =>
  runQuick(['ctl', 'dr-restore', file, '--passphrase-stdin', '--yes', ...words], to, passphrase)
const rowsOf = async (statement: string) => (await fresh.pool.query(statement)).rows
const later = { prefer: 'respond-async' }

t.test('a panel is backed up in the middle of its work', async t => {
  writeFileSync(join(oldDir, 'key'), serverKey, { mode: 0o600 })
  const worker = await panel.startWorker()
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  for (const username of ['alice', 'bob', 'dora']) {
    const body = { ...alice, username, domain: `${username}.example` }
    t.equal((await panel.call('POST', '/api/v1/accounts', { body })).status, 201)
  }
  await worker.stop()
  const ask = async (path: string, body: object = {}, method = 'POST') => {
    const answer = await panel.call(method, `/api/v1/accounts${path}`, {
      body,
      headers: later,
      key: `key ${path}`,
    })
    t.equal(answer.status, 202, answer.text)
  }
  await ask('/alice/suspend', { reason: 'Late' })
  await ask('/alice/unsuspend')
  await ask('/bob', {}, 'DELETE')
  await ask('', { ...alice, username: 'carol', domain: 'carol.example' })
  await panel.pool.query(
    `select panel.write_desired_account((panel.start_operation(id, panel.find_account(id))).id)
     from panel.operations
     where state = 'queued' and username in ('alice', 'bob')`,
  )
  await webhookTo(panel.pool, 'http://127.0.0.1:9/')
  await emitted(panel.pool, 'account.deleted', { username: 'zoe' })
  await panel.pool.query(`insert into panel.log_positions values (1, 2, 3)`)
  await panel.pool.query(
    `insert into panel.databases (account_id, name, desired)
     select a.id, d.name, d.desired
     from panel.accounts a,
       (values ('dora_shop', 'present'), ('dora_new', 'reserved')) d (name, desired)
     where a.username = 'dora'`,
  )
  const words = ['backup', 'create', '--output', file, '--passphrase-stdin']
  const result = await runQuick(words, environmentOf(panel.databaseUrl, oldDir), passphrase)
  t.equal(result.code, 0, result.stderr)
  t.match(
    result.stderr,
    /Account databases \(1\) are not included: back up each with panel database/,
  )
})

t.test('a running process, an unmanaged user’s number and another release are refused', async t => {
  const refused = async (stderr: RegExp) => t.match(await restore(), { code: 1, stderr })
  const locks = await openLocks(fresh.url, 'panel_courier', () => undefined)
  await locks.showProcess('courier')
  await refused(/The panel is running: stop its processes first/)
  await locks.close()
  const passwd = join(newDir, 'host/etc/passwd')
  mkdirSync(dirname(passwd), { recursive: true })
  writeFileSync(passwd, 'mallory:x:20000:20000::/:/bin/sh\n')
  await refused(/The number 20000 of alice is mallory's here/)
  writeFileSync(passwd, 'mallory:x:30123:30123::/:/bin/sh\n')
  t.notOk(existsSync(join(newDir, 'restore.json')))
  t.equal((await rowsOf('select from panel.operators')).length, 0)
})

t.test('work in progress is closed, and the account is as it was before', async t => {
  const result = await restore('--json')
  t.equal(result.code, 0, result.stderr)
  t.match(result.json(), { accounts: 2, databases: 1, closed_operations: 4 })
  t.match(result.stderr, /1 database recreated empty: fill each one with panel database import/)
  const accounts = await rowsOf(
    `select username, state, desired, suspend_reason from panel.accounts order by id`,
  )
  t.strictSame(accounts, [
    { username: 'alice', state: 'active', desired: 'active', suspend_reason: null },
    { username: 'bob', state: 'terminating', desired: 'terminated', suspend_reason: null },
    { username: 'dora', state: 'active', desired: 'active', suspend_reason: null },
  ])
  const closed = await rowsOf(
    `select error from panel.operations where state = 'failed' and key like 'key%'`,
  )
  t.strictSame(closed, Array(4).fill({ error: 'Closed by a restore from a backup' }))
  const waiting = await rowsOf(
    `select username, name from panel.operations where state = 'queued' order by username`,
  )
  t.strictSame(waiting, [
    { username: 'alice', name: 'account/apply' },
    { username: 'bob', name: 'account/terminate' },
    { username: 'dora', name: 'account/apply' },
  ])
  t.strictSame(await rowsOf(`select from panel.hook_runs where state <> 'done'`), [])
  t.strictSame(await rowsOf('select from panel.log_positions'), [])
  t.strictSame(await rowsOf('select last_value::int as uid from panel.uids'), [{ uid: 30_123 }])
  const servers = await rowsOf('select id, paused_since is not null as held from panel.server')
  const { rows } = await panel.pool.query('select id, true as held from panel.server')
  t.strictSame(servers, rows)
})

t.test('the rows are those of the backup, to the last', async t => {
  const { rows: tables } = await panel.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'panel'::regnamespace and relkind = 'r' and relpersistence = 'p'
       and relname not in ('server', 'accounts', 'operations', 'hook_runs', 'deliveries',
         'log_positions', 'backups', 'events', 'event_counters', 'certificates', 'packages',
         'migrations')`,
  )
  t.ok(tables.length > 10)
  for (const { name } of tables) {
    const statement = `select coalesce(array_agg(x::text order by x::text), '{}') as rows
      from panel.${name} x where x::text not like '%carol%'`
    t.strictSame(await rowsOf(statement), (await panel.pool.query(statement)).rows, name)
  }
})

t.test('nothing is sent or measured before the release; a terminate goes forward', async t => {
  const receiver = await receiverFor(t)
  await fresh.pool.query('update panel.webhooks set url = $1', [receiver.url])
  const courier = courierOn(t, fresh.url)
  const worker = await workerOn(fresh.url, join(newDir, 'host'))
  t.teardown(worker.stop)
  await until(async () => {
    const under = await rowsOf(
      `select from panel.operations where state in ('blocked', 'queued', 'running', 'undoing')`,
    )
    return under.length === 0
  })
  t.strictSame(await rowsOf(`select state from panel.accounts where username = 'bob'`), [
    { state: 'terminated' },
  ])
  await fresh.pool.query(`select worker_queue.add_job('usage/disk')`)
  await until(async () => (await rowsOf('select from worker_queue.jobs')).length === 0)
  t.strictSame(await rowsOf('select from panel.disk_usage'), [])
  t.equal(receiver.received.length, 0)

  t.match(await runQuick(['ctl', 'dr-restore', '--release'], to), { code: 0 })
  await courier
  await until(() => receiver.received.length >= 3)
  await fresh.pool.query(`select worker_queue.add_job('usage/disk')`)
  await until(async () => (await rowsOf('select from panel.disk_usage')).length > 0)
})
