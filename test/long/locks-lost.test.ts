import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { ensureServerKey } from '../../src/start/server-key.ts'
import { openPanel } from '../support/panel.ts'
import { inherited } from '../support/processes.ts'
import { until } from '../support/until.ts'

// A process that loses its locks ends, however far its start has come.

const { pool, databaseUrl, root } = await openPanel(t, { hasWorker: false })
const stateDir = join(root, '..')
await ensureServerKey(join(stateDir, 'key'))

for (const name of ['worker', 'courier']) {
  t.test(`a ${name} whose locks are lost while it starts does not hang`, async t => {
    const holder = await pool.connect()
    // Showing itself is the last step of its start, and waits for this lock.
    await holder.query('select pg_advisory_lock(7202, hashtext($1))', [name])
    const file = join(import.meta.dirname, `../../bin/panel-${name}.ts`)
    const child = spawn(process.execPath, [file], {
      env: { ...inherited, DATABASE_URL: databaseUrl, PANEL_STATE_DIR: stateDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until(async () => {
      const { rows } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where wait_event = 'advisory' and datname = current_database()`,
      )
      return rows.length > 0
    })
    t.equal((await exited)[0], 75)
    t.match(output, /locks lost/)
    holder.release(true)
  })
}
