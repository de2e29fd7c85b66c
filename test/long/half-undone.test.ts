import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'
import { tree } from '../support/tree.ts'
import { until } from '../support/until.ts'

// The cause of a failed change may outlast its undo. Then everything else is undone, and the rest
// follows by itself once the cause is gone.

const panel = await openPanel(t, { hasWorker: false })
const { call, pool, root } = panel
let failing: string[] = []
const startWorker = () =>
  panel.startWorker(async (step, work) => {
    if (failing.includes(step)) throw new Error('staged')
    await work()
  })

const path = '/api/v1/accounts/alice'
const act = (verb: string) => call('POST', `${path}/${verb}`)
const shadow = () => readFileSync(join(root, 'etc/shadow'), 'utf8')
const events = async () => (await pool.query('select name from panel.events offset 2')).rows
// Due in some seconds: made due now, and swept at once.
const hurry = async () => {
  await pool.query('update panel.accounts set apply_due_at = now() where apply_due_at is not null')
  await pool.query('select panel.sweep()')
}
const isApplied = async () => {
  await hurry()
  const { rows } = await pool.query('select is_applied, apply_due_at from panel.accounts')
  return rows[0].is_applied && rows[0].apply_due_at === null
}

let worker = await startWorker()
mkdirSync(join(root, 'usr/local/sbin'), { recursive: true })
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const turns = [
  { verb: 'suspend', state: 'active', cause: 'end processes', undo: 'unlock', shadow: /:!/ },
  { verb: 'unsuspend', state: 'suspended', cause: 'cron', undo: 'lock', shadow: /:\$6/ },
] as const

for (const { verb, state, ...turn } of turns) {
  t.test(`a ${verb} whose cause outlasts the undo leaves all that it can as it was`, async t => {
    const before = await tree(root)
    failing = ['websites']
    t.equal((await act(verb)).status, 500)
    t.strictSame(await tree(root), before)
    failing = []
    t.ok(await until(isApplied))
    t.strictSame(await tree(root), before)
    t.match(await call('GET', path), { body: { state, warnings: [] } })
  })

  t.test(`a ${verb} half undone is put right when the cause is gone`, async t => {
    const before = await tree(root)
    const entries = await events()
    failing = [turn.cause, turn.undo]
    t.equal((await act(verb)).status, 500)
    t.match(shadow(), turn.shadow)
    const { body } = await call('GET', path)
    t.match(body, { state, warnings: [/tried again/] })
    // It is tried, and fails, and is tried again.
    await until(async () => {
      await hurry()
      const { rows } = await pool.query(
        `select from panel.operations where name = 'account/apply' and state = 'failed'`,
      )
      return rows.length > 1
    })
    t.match(shadow(), turn.shadow)
    t.strictSame((await call('GET', path)).body.warnings, body.warnings, 'reported once')
    failing = []
    t.ok(await until(isApplied))
    t.strictSame(await tree(root), before)
    t.match(await call('GET', path), { body: { state, warnings: [] } })
    t.strictSame(await events(), entries, 'nothing has happened to the account')
  })

  t.test(`a worker killed while it undoes a ${verb}, and while it puts it right`, async t => {
    await worker.stop()
    const before = await tree(root)
    failing = ['websites']
    // At the second step of the undo.
    const first = await startInterrupted(verb === 'suspend' ? 5 : 8, 'websites')
    const pending = act(verb)
    await first.exited
    const next = await startWorker()
    t.equal((await pending).status, 500)
    t.strictSame(await tree(root), before)
    await next.stop()
    failing = []
    const second = await startInterrupted(2)
    await hurry()
    await second.exited
    t.notOk((await pool.query('select is_applied from panel.accounts')).rows[0].is_applied)
    worker = await startWorker()
    t.ok(await until(isApplied))
    t.strictSame(await tree(root), before)
    t.equal((await act(verb)).status, 200)
  })
}

t.test('an operation on an account that waits to be put right goes first', async t => {
  failing = ['end processes', 'unlock']
  t.equal((await act('suspend')).status, 500)
  failing = ['unlock']
  t.match(await act('suspend'), { status: 200, body: { state: 'suspended', warnings: [] } })
  t.ok(await isApplied(), 'nothing is left to be put right')
  failing = []
})

t.test('work on certificates that fails leaves it to be put right', async t => {
  t.equal((await act('unsuspend')).status, 200)
  failing = ['end processes', 'unlock']
  t.equal((await act('suspend')).status, 500)
  await worker.stop()
  const name = 'certificate/request'
  await pool.query('select panel.begin_internal(id, $1) from panel.accounts where not is_applied', [
    name,
  ])
  // It is undone at its next start.
  await pool.query('update panel.operations set starts = 6 where name = $1', [name])
  worker = await startWorker()
  const failed = `select from panel.operations where name = $1 and state = 'failed'`
  await until(async () => (await pool.query(failed, [name])).rowCount === 1)
  t.notOk(await isApplied())
  failing = []
  t.ok(await until(isApplied))
})

/** A worker that kills itself before the step of this number, and in which a step fails. */
function startInterrupted(step: number, failing = '') {
  const args = [panel.databaseUrl, root, String(step), 'before', 'SIGKILL', failing]
  return startProcess(t, 'test/support/programs/worker.ts', args, untilStarted)
}
