import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { openPanel } from '../support/panel.ts'
import { type Child, startProcess } from '../support/processes.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'

// A panel that has nothing to do.

const fixture = join(import.meta.dirname, '../support/programs/report-loaded.ts')
const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
const stateDir = join(scratch(t), 'state')
mkdirSync(stateDir)
await ensureServerKey(join(stateDir, 'key'))
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: stateDir,
  PANEL_DEVELOPMENT: 'yes',
  PANEL_LISTEN: '127.0.0.1:0',
}
const answer: Record<string, string> = {}
const start = (name: string) =>
  startProcess(t, `bin/panel-${name}.ts`, [], {
    ready: new RegExp(`${name} ready`),
    environment: { ...environment, NODE_OPTIONS: `--import=${fixture}` },
    onOutput: text => (answer[name] = `${answer[name] ?? ''}${text}`),
  })
const processes = Object.fromEntries(
  await Promise.all(['api', 'worker', 'courier'].map(async name => [name, await start(name)])),
) as Record<string, Child>

t.test('looks through its queues a few times a second', async t => {
  const figures = async () => {
    const { rows } = await pool.query<{ looks: number; seconds: number }>(`
      select sum(seq_scan + idx_scan)::integer as looks,
        extract(epoch from clock_timestamp())::float as seconds
      from pg_stat_all_tables
      where relname = '_private_jobs'`)
    return rows[0]!
  }
  const first = await figures()
  // A slow machine only makes them fewer.
  const last = await until(async () => {
    const now = await figures()
    return now.seconds > first.seconds + 4 && now
  })
  const perSecond = (last.looks - first.looks) / (last.seconds - first.seconds)
  t.ok(perSecond < 16, `${perSecond} a second`)
})

t.test('finds jobs without a notification', async t => {
  const client = await pool.connect()
  await client.query('set session_replication_role = replica')
  await client.query(`
    with task as (
      insert into worker_queue._private_tasks (identifier) values ('package/apply')
      on conflict (identifier) do update set identifier = excluded.identifier
      returning id)
    insert into worker_queue._private_jobs (task_id, payload, run_at)
    select task.id, '{"packageId": "4711"}', now() from task, generate_series(1, 20)`)
  client.release(true)
  const left = `select from worker_queue._private_jobs where payload->>'packageId' = '4711'`
  t.ok(await until(async () => (await pool.query(left)).rowCount === 0))
})

// Each takes megabytes of every process that has loaded it.
t.test('has loaded nothing that only work needs', async t => {
  for (const [name, { child }] of Object.entries(processes)) {
    child.kill('SIGUSR2')
    const list = await until(() => /^\{"loaded":.*\}$/m.exec(answer[name] ?? '')?.[0])
    t.match(list, 'node_modules/pg/', name)
    for (const module of ['undici', 'tldts', 'mysql2', 'acme-client'])
      t.notMatch(list, module, name)
  }
})
