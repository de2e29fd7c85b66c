import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { barrier, until } from '../support/until.ts'

// An operation whose worker ends again and again first runs alone, then is undone.

let hold: ReturnType<typeof barrier> | undefined
const running = new Set<string>()
let maxAtOnce = 0
const panel = await openPanel(t, { hasWorker: false })
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })

const startedBefore = (key: string, starts: number) =>
  pool.query('update panel.operations set starts = $2 where key = $1', [key, starts])

t.test('after six interrupted starts it is undone and ends in 5xx; the key is free', async t => {
  const request = { key: 'poison', body: alice }
  const answer = call('POST', '/api/v1/accounts', request)
  await until(async () => (await pool.query('select from panel.operations')).rowCount === 2)
  await startedBefore('poison', 6)
  await panel.startWorker(async (step, work) => {
    await hold?.pass()
    running.add(step)
    maxAtOnce = Math.max(maxAtOnce, running.size)
    await work()
    running.delete(step)
  })
  t.equal((await answer).status, 500)
  t.match(await call('GET', '/api/v1/accounts/alice'), { status: 404 })
  t.equal((await call('POST', '/api/v1/accounts', request)).status, 201)
})

t.test('after three it runs alone', async t => {
  const body = { ...alice, username: 'bob', domain: 'bob.example' }
  t.equal((await call('POST', '/api/v1/accounts', { body })).status, 201)
  hold = barrier()
  const first = call('POST', '/api/v1/accounts/alice/suspend', { key: 'first' })
  await hold.stopped
  // The second waits for the exclusive lock: it is started, but none of its steps begins.
  await pool.query('alter table panel.operations alter column starts set default 3')
  const second = call('POST', '/api/v1/accounts/bob/suspend', { key: 'second' })
  await until(async () => {
    const { rows } = await pool.query(`select starts from panel.operations where key = 'second'`)
    return rows[0]?.starts === 4
  })
  maxAtOnce = 0
  hold.open()
  hold = undefined
  t.equal((await first).status, 200)
  t.equal((await second).status, 200)
  t.equal(maxAtOnce, 1)
})
