import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { barrier, until } from '../support/until.ts'

// A queue lock proves nothing: epoch and account lock decide.

const panel = await openPanel(t, { hasWorker: false })
const { pool } = panel
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

t.test('a second worker waits for the account, and then finds nothing to do', async t => {
  const held = barrier()
  const steps: string[] = []
  const record = (name: string, before?: () => Promise<void>) => {
    return async (step: string, work: () => Promise<void>) => {
      if (step === 'home') await before?.()
      steps.push(`${name} ${step}`)
      await work()
    }
  }
  await panel.startWorker(record('first', held.pass))
  const answer = panel.call('POST', '/api/v1/accounts', { body: alice })
  await held.stopped

  await panel.startWorker(record('second'))
  await giveJobsAway()
  // It has asked for the account's lock and not got it.
  await until(async () => (await attempts()) > 1)
  t.notMatch(steps.join(), /second/)
  held.open()

  t.match(await answer, { status: 201 })
  await until(async () => (await attempts()) === 0)
  t.notMatch(steps.join(), /second/)
  const { rows } = await pool.query('select name from panel.events order by id')
  t.strictSame(rows, [{ name: 'account.created' }, { name: 'site.created' }])
  const { rows: creates } = await pool.query(
    `select starts from panel.operations where name = 'account/create'`,
  )
  t.strictSame(creates, [{ starts: 1 }])
})

t.test('a late write of an earlier start changes nothing', async t => {
  const held = barrier()
  const first = await panel.startWorker(async (_step, work) => {
    await held.pass()
    await work()
  })
  const answer = panel.call('POST', '/api/v1/accounts/alice/suspend', { key: 'epochs' })
  const { epoch } = await until(async () => {
    const { rows } = await pool.query(
      `select id, epoch from panel.operations where key = 'epochs' and name is not null`,
    )
    return rows[0]
  })
  held.open()
  t.equal((await answer).status, 200)
  const before = await rows()
  for (const stale of [epoch - 1, epoch]) {
    const { rows: late } = await pool.query(
      `select panel.finish_operation(id, $1, 500, 'x', null, '{}', '{}') as finished,
         panel.release_operation(id, $1) as released,
         panel.undo_operation(id, $1, 'late', null, null, null) as undone
       from panel.operations where key = 'epochs'`,
      [stale],
    )
    t.strictSame(late, [{ finished: null, released: null, undone: null }])
  }
  t.strictSame(await rows(), before)
  await first.stop()
})

t.test('a worker that loses the connection of its locks gives up at once', async t => {
  const worker = await panel.startWorker()
  await pool.query(
    `select pg_terminate_backend(l.pid) from pg_locks l
     where l.locktype = 'advisory' and l.classid = 7202 and l.granted
       and l.database = (select oid from pg_database where datname = current_database())`,
  )
  t.match(await worker.gaveUp, { reason: 'locks lost', drainMs: 0 })
})

// The queue hands out jobs of a living worker, as after its four hours.
async function giveJobsAway() {
  await pool.query(
    'update worker_queue._private_jobs set locked_at = null, locked_by = null, run_at = now()',
  )
  await pool.query(`select pg_notify('jobs:insert', '{"count":1}')`)
}

async function attempts(): Promise<number> {
  const { rows } = await pool.query('select max(attempts)::int as n from worker_queue.jobs')
  return rows[0].n ?? 0
}

async function rows() {
  const { rows: operations } = await pool.query('select * from panel.operations order by id')
  const { rows: accounts } = await pool.query('select * from panel.accounts order by id')
  return { operations, accounts }
}
