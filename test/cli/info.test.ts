import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { version } from '../../src/config.ts'
import { openPool } from '../../src/db.ts'
import { Outcomes } from '../../src/requests/outcomes.ts'
import { openLocks } from '../../src/queue/locks.ts'
import { address } from '../support/database.ts'
import { until } from '../support/until.ts'
import { callPanel, panelFor, runPanel } from '../support/cli/run-panel.ts'

const { pool, stateDir, environment, panel } = await panelFor(t)
const url = environment.DATABASE_URL
const { rows } = await pool.query('select id from panel.server')
const serverId = rows[0].id as string

const info = async () => (await panel(['ctl', 'info', '--json'])).json()

t.test('shows what is installed while nothing but the database is up', async t => {
  const result = await runPanel(['ctl', 'info', '--json'], {
    ...environment,
    PANEL_HOSTNAME: 'panel.example.com',
  })
  t.match(result, { code: 0, stderr: '' })
  const down = { count: 0, started_at: null, uptime_s: null }
  const { database, ...rest } = result.json()
  t.strictSame(rest, {
    version,
    commit: null,
    newer: null,
    rollback_to: null,
    interrupted_update: null,
    server_id: serverId,
    plan: 'development',
    license: { is_valid: true, reason: null, max_accounts: 10_000, expires_at: null },
    host: { name: 'panel.example.com', kind: 'sandbox' },
    accounts: 0,
    paused_since: null,
    processes: ['api', 'worker', 'courier'].map(name => ({ name, ...down })),
  })
  t.match(database, { is_reachable: true, version: /^1[0-9]/ })
  t.ok(database.size_bytes > 1_000_000)

  const { stdout } = await panel(['ctl', 'info'])
  t.match(
    stdout,
    new RegExp(`^version +${version}\nserver ID +${serverId}\nlicense +development\n`),
  )
  t.match(stdout, /^database +PostgreSQL 1.+, [0-9.]+ MB$/m)
  t.match(stdout, /^accounts +0\napi +down\nworker +down\ncourier +down\n$/m)
})

t.test('shows which processes are up and since when, until they are not', async t => {
  const began = Date.now() - process.uptime() * 1_000
  const locks = await openLocks(url, 'panel_worker', () => undefined)
  const second = await openLocks(url, 'panel_courier', () => undefined)
  const third = await openLocks(url, 'panel_courier', () => undefined)
  const apiPool = openPool(url, 'panel_api', 1)
  const outcomes = await Outcomes.open(apiPool, url)
  await Promise.all([locks.showProcess('worker'), second.showProcess('courier')])
  await third.showProcess('courier')

  const [api, worker, courier] = (await info()).processes
  t.match([api.count, worker.count, courier.count], [1, 1, 2])
  for (const { started_at, uptime_s } of [api, worker, courier]) {
    t.ok(Math.abs(Date.parse(started_at) - began) < 60_000, started_at)
    t.ok(Number.isInteger(uptime_s))
  }
  await pool.query(`update panel.processes set started_at = started_at - interval '50 hours 2 min'`)
  const { stdout } = await panel(['ctl', 'info'])
  t.match(stdout, /^api +up for 2 d 2 h\nworker +up for 2 d 2 h\ncourier +up for .+, 2 of them$/m)

  await Promise.all([locks.close(), second.close(), third.close(), outcomes.close()])
  await apiPool.end()
  await until(async () =>
    (await info()).processes.every(({ count }: { count: number }) => count === 0),
  )
})

t.test('a process that comes after one that has gone keeps no row of it', async t => {
  const locks = await openLocks(url, 'panel_worker', () => undefined)
  await locks.showProcess('worker')
  const { rows } = await pool.query('select name from panel.processes')
  t.strictSame(rows, [{ name: 'worker' }])
  await locks.close()
})

t.test('shows that a restored server is held, and how it is released', async t => {
  await pool.query(`update panel.server set paused_since = '2026-01-31T12:00:00Z'`)
  t.match(await info(), { paused_since: '2026-01-31T12:00:00.000Z' })
  const result = await panel(['ctl', 'info'])
  t.match(result.stdout, /^paused since +2026-01-31T12:00:00\.000Z$/m)
  t.match(result.stderr, /^panel: this server was restored: .*`panel ctl dr-restore --release`\n$/)
  for (const more of ['--dry-run', '--force', 'backup.age']) {
    t.match(await panel(['ctl', 'dr-restore', '--release', more]), { code: 2 }, more)
  }
  t.match(await panel(['ctl', 'dr-restore', '--release']), { code: 0, stdout: /^released +yes$/m })
  t.match(await panel(['ctl', 'info']), { stdout: /^accounts +0\napi/m, stderr: '' })
})

t.test('says why a license does not count', async t => {
  rmSync(join(stateDir, 'lock'))
  t.match((await panel(['ctl', 'info'])).stdout, /^license +No license is installed$/m)
  t.match(await info(), { plan: null, license: { is_valid: false } })
})

t.test('shows what it knows where the database is down, or holds no panel', async t => {
  const nowhere = { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/panel' }
  const result = await callPanel(['ctl', 'info', '--json'], nowhere)
  t.match(result, {
    code: 1,
    stderr: /^\{"error":"The database cannot be reached \(.*\); is .* running\?/,
  })
  t.match(result.json(), { version, server_id: null, database: { is_reachable: false } })
  t.match((await callPanel(['ctl', 'info'], nowhere)).stdout, /^database +down$/m)

  const empty = { ...environment, DATABASE_URL: address('postgres', 'postgres') }
  t.match(await callPanel(['ctl', 'info'], empty), {
    code: 1,
    stdout: '',
    stderr: 'panel: The database does not contain the schema of this release\n',
  })
})
