import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// A server that is gone says nothing, and a worker that wakes then can't know whether its locks are
// another one's: it changes nothing before it knows.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool, databaseUrl, root } = panel

t.test('a worker that wakes begins no step before its locks are proved', async t => {
  await call('PUT', '/api/v1/packages/starter', { body: {} })
  const first = await panel.startWorker()
  await call('POST', '/api/v1/accounts', { body: alice })
  await first.stop()
  const args = [databaseUrl, root, 'lock', 'before', 'SIGSTOP']
  const worker = await startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
  const suspended = call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
  await until(() => / T /.test(readFileSync(`/proc/${worker.child.pid}/stat`, 'utf8')))
  const before = await tree(root)
  const { rows } = await pool.query(`select backend_pid from panel.processes where name = 'worker'`)
  const pid: number = rows[0].backend_pid
  let isStopped: boolean = process.kill(pid, 'SIGSTOP')
  const goOn = () => isStopped && (isStopped = !process.kill(pid, 'SIGCONT'))
  t.teardown(goOn)
  // So long that its last answer proves nothing any more.
  await sleep(2_500)
  worker.child.kill('SIGCONT')
  await worker.exited
  t.equal(worker.child.exitCode, 75)
  t.strictSame(await tree(root), before)

  goOn()
  const next = await panel.startWorker()
  t.match(await suspended, { status: 200, body: { state: 'suspended' } })
  await next.stop()
})
