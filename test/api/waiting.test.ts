import t from 'tap'
import { createToken } from '../../src/model/tokens.ts'
import { alice, openPanel } from '../panel.ts'
import { barrier, until } from '../until.ts'

let hold: ReturnType<typeof barrier> | undefined
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    await hold?.pass()
    await work()
  },
})
const { call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const post = (verb: string, key: string, prefer: string) =>
  call('POST', `/api/v1/accounts/alice/${verb}`, { key, headers: { prefer } })

t.test('a caller that will not wait gets its job, and later the answer', async t => {
  hold = barrier()
  const accepted = await post('suspend', 'one', 'respond-async')
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.get('preference-applied'), 'respond-async')
  t.match(accepted.body, { id: String, status: null, result: null, finished_at: null })
  const path = accepted.headers.get('location') ?? ''
  t.equal(path, `/api/v1/jobs/${accepted.body.id}`)
  await hold.stopped
  t.match(await call('GET', path), { status: 200, body: { state: 'running' } })
  t.equal((await post('suspend', 'one', 'respond-async')).status, 409)
  hold.open()
  hold = undefined
  await until(async () => (await call('GET', path)).body.state === 'succeeded')
  const job = await call('GET', path)
  t.match(job.body, { status: 200, result: { username: 'alice', state: 'suspended' } })
  const replay = await post('suspend', 'one', 'respond-async')
  t.match(replay, { status: 200, body: { state: 'suspended' } })
  t.equal(replay.headers.get('idempotent-replayed'), 'true')
})

t.test('a caller may wait shorter, and gets 504 while the work goes on', async t => {
  hold = barrier()
  const late = await post('unsuspend', 'two', 'wait=1')
  t.equal(late.status, 504)
  t.ok(late.headers.get('retry-after'))
  hold.open()
  hold = undefined
  await until(async () => (await post('unsuspend', 'two', 'wait=1')).status !== 409)
  t.match(await post('unsuspend', 'two', 'wait=1'), { status: 200, body: { state: 'active' } })
})

t.test('what is quickly done is answered at once even so', async t => {
  const answer = await post('suspend', 'three', 'respond-async, wait=20')
  t.match(answer, { status: 200, body: { state: 'suspended' } })
  t.equal(answer.headers.get('preference-applied'), 'respond-async, wait=20')
})

t.test('a job belongs to the token that made it', async t => {
  const { rows } = await panel.pool.query('select id from panel.operations limit 1')
  const { token } = await createToken(panel.pool, { owner: 'admin', name: 'other' })
  t.equal((await call('GET', `/api/v1/jobs/${rows[0].id}`)).status, 200)
  t.equal((await call('GET', `/api/v1/jobs/${rows[0].id}`, { token })).status, 404)
  t.equal((await call('GET', '/api/v1/jobs/nonsense')).status, 404)
})
