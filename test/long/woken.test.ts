import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// A worker that was stopped, has lost its locks meanwhile and goes on where it was, changes nothing
// any more: another one has done its work, and more.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool, databaseUrl, root } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
const first = await panel.startWorker()
await call('POST', '/api/v1/accounts', { body: alice })
await first.stop()

const systemctl = join(root, 'usr/local/sbin/systemctl')
const note = join(root, '../stopped')
const paths = {
  'before a step': { doom: ['lock', 'before', 'SIGSTOP'], tool: '' },
  'while a tool of it runs': {
    doom: [],
    tool: `[ $1 != stop ] || [ -e ${note} ] || { : >${note}; kill -STOP $PPID; }`,
  },
}
for (const [where, { doom, tool }] of Object.entries(paths)) {
  t.test(`stopped ${where}`, async t => {
    const args = [databaseUrl, root, ...doom]
    const worker = await startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
    mkdirSync(join(systemctl, '..'), { recursive: true })
    writeFileSync(systemctl, `#!/bin/sh\n${tool}\nexit 0\n`, { mode: 0o755 })
    const suspended = call('POST', '/api/v1/accounts/alice/suspend', { body: {} })
    await until(() => / T /.test(readFileSync(`/proc/${worker.child.pid}/stat`, 'utf8')))
    t.equal(existsSync(note), tool !== '')
    await pool.query(
      `select pg_terminate_backend(backend_pid) from panel.processes where name = 'worker'`,
    )

    const next = await panel.startWorker()
    t.match(await suspended, { status: 200, body: { state: 'suspended' } })
    const unsuspended = await call('POST', '/api/v1/accounts/alice/unsuspend')
    t.match(unsuspended, { status: 200, body: { state: 'active' } })
    const before = { files: await tree(root), events: await events() }

    worker.child.kill('SIGCONT')
    await worker.exited
    t.equal(worker.child.exitCode, 75)
    t.strictSame({ files: await tree(root), events: await events() }, before)
    await next.stop()
  })
}

const events = async () => (await pool.query('select name from panel.events')).rows
