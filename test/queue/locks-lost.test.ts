import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { openPanel } from '../panel.ts'
import { until } from '../until.ts'

// Crash-only: a worker that loses its locks ends, wherever it has come to (architecture).

t.test('a worker whose locks are lost while it starts does not hang', async t => {
  const { pool, databaseUrl, root } = await openPanel(t, { hasWorker: false })
  const holder = await pool.connect()
  // It shows that it is up as the last thing, under a lock that somebody else has here.
  await holder.query(`select pg_advisory_lock(7202, hashtext('worker'))`)
  const worker = spawn(process.execPath, [join(import.meta.dirname, '../../bin/panel-worker.ts')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PANEL_STATE_DIR: join(root, '..'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => worker.kill('SIGKILL'))
  const exited = once(worker, 'exit')
  let said = ''
  worker.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until(async () => {
    const { rows } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where wait_event = 'advisory' and datname = current_database()`,
    )
    return rows.length > 0
  })
  t.equal((await exited)[0], 75)
  t.match(said, /locks lost/)
  holder.release()
})
