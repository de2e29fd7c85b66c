import t from 'tap'
import { alice, openPanel } from '../panel.ts'
import { barrier, until } from '../until.ts'

// Architecture, rule 2: a queue lock proves nothing. Epoch and account lock decide.

const panel = await openPanel(t, { hasWorker: false })
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

t.test(
  'of two workers on one operation one records, and never both change the machine',
  async t => {
    const first = barrier()
    const active = new Set<string>()
    let atOnce = 0
    const steps =
      (name: string, before: () => Promise<void>) =>
      async (step: string, work: () => Promise<void>) => {
        if (step === 'home') await before()
        active.add(name)
        atOnce = Math.max(atOnce, active.size)
        await work()
        active.delete(name)
      }
    await panel.startWorker(steps('first', first.pass))
    const answer = panel.call('POST', '/api/v1/accounts', { body: alice })
    await first.stopped

    // The queue gives the job away although its worker lives, as after its four hours.
    let second = 0
    await panel.startWorker(steps('second', async () => void second++))
    await panel.pool.query(
      `update worker_queue._private_jobs set locked_at = null, locked_by = null, run_at = now()`,
    )
    await panel.pool.query(`select pg_notify('jobs:insert', '{"count":1}')`)
    await until(async () => {
      const { rows } = await panel.pool.query('select max(starts) as starts from panel.operations')
      return rows[0].starts === 2
    })
    t.equal(second, 0, 'the second waits for the account')
    first.open()

    const created = await answer
    t.equal(created.status, 201)
    t.equal(second, 1, 'it does the work again, because the first could record nothing')
    t.equal(atOnce, 1)
    const { rows } = await panel.pool.query('select name from panel.events order by id')
    t.strictSame(rows, [{ name: 'account.created' }, { name: 'site.created' }])
  },
)

t.test('a worker that loses the connection of its locks gives up at once', async t => {
  const worker = await panel.startWorker()
  await panel.pool.query(
    `select pg_terminate_backend(l.pid) from pg_locks l
     where l.locktype = 'advisory' and l.classid = 7202 and l.granted`,
  )
  t.match(await worker.gaveUp, { reason: 'locks lost', drainMs: 0 })
})
