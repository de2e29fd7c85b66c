import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openGate } from '../support/gate.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

let failures = 0
const gate = openGate(() => failures-- > 0)
const panel = await openPanel(t, { observe: gate.observe })
const { call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const post = (verb: string, key: string, prefer: string) =>
  call('POST', `/api/v1/accounts/alice/${verb}`, { key, headers: { prefer } })
const ended = (path: string) =>
  until(async () => {
    const { body } = await call('GET', path)
    return body.finished_at !== null && body
  })

t.test('a caller that will not wait gets its job, and later the answer', async t => {
  gate.close()
  const accepted = await post('suspend', 'one', 'respond-async')
  t.equal(accepted.status, 202)
  t.equal(accepted.headers.get('preference-applied'), 'respond-async')
  t.match(accepted.body, { id: String, status: null, result: null, finished_at: null })
  const path = accepted.headers.get('location') ?? ''
  t.equal(path, `/api/v1/jobs/${accepted.body.id}`)
  await gate.reached()
  t.match(await call('GET', path), { status: 200, body: { state: 'running' } })
  t.equal((await post('suspend', 'one', 'respond-async')).status, 409)
  gate.open()
  const result = { username: 'alice', state: 'suspended' }
  t.match(await ended(path), { state: 'succeeded', status: 200, result })
  const replay = await post('suspend', 'one', 'respond-async')
  t.match(replay, { status: 200, body: { state: 'suspended' } })
  t.equal(replay.headers.get('idempotent-replayed'), 'true')
})

t.test('a caller may wait shorter, and gets 504 while the work goes on', async t => {
  gate.close()
  const late = await post('unsuspend', 'two', 'wait=1')
  t.equal(late.status, 504)
  t.ok(late.headers.get('retry-after'))
  t.equal(late.headers.get('preference-applied'), 'wait=1')
  t.equal((await post('unsuspend', 'two', 'wait=1')).status, 409)
  gate.open()
  await until(async () => (await post('unsuspend', 'two', 'wait=1')).status !== 409)
  const replay = await post('unsuspend', 'two', 'wait=1')
  t.match(replay, { status: 200, body: { state: 'active' } })
  t.equal(replay.headers.get('idempotent-replayed'), 'true')
})

t.test('a quick operation is answered at once even so', async t => {
  const answer = await post('suspend', 'three', 'respond-async, wait=20')
  t.match(answer, { status: 200, body: { state: 'suspended' } })
  t.equal(answer.headers.get('preference-applied'), 'respond-async, wait=20')
})

const lazy = { headers: { prefer: 'respond-async' } }

t.test('a refusal, or a change of rows alone, is answered at once', async t => {
  const unknown = await call('POST', '/api/v1/accounts/missing/suspend', lazy)
  t.match(unknown, { status: 404, body: { error: String } })
  t.equal(unknown.headers.get('preference-applied'), null)
  const put = await call('PUT', '/api/v1/packages/rows', { ...lazy, body: {} })
  t.match(put, { status: 201, body: { name: 'rows' } })
  t.equal(put.headers.get('preference-applied'), null)
  t.match(await call('DELETE', '/api/v1/packages/rows', lazy), { status: 200 })
})

t.test('a job shows that it waits, and the refusal that the worker found', async t => {
  await call('POST', '/api/v1/accounts', { body: { ...alice, username: 'bob', domain: null } })
  gate.close()
  const terminated = await call('DELETE', '/api/v1/accounts/bob', lazy)
  t.equal(terminated.status, 202)
  await gate.reached()
  const blocked = { ...lazy, key: 'blocked' }
  const { body, headers } = await call('POST', '/api/v1/accounts/bob/suspend', blocked)
  t.match(body, { state: 'queued', status: null, result: null })
  gate.open()
  const result = { error: 'Unknown account: bob' }
  t.match(await ended(headers.get('location')!), { state: 'failed', status: 404, result })
  const replay = await call('POST', '/api/v1/accounts/bob/suspend', blocked)
  t.match(replay, { status: 404, body: result })
  t.equal(replay.headers.get('idempotent-replayed'), 'true')
})

t.test('a job shows that its work has failed, and a repeat is new', async t => {
  failures = 1
  const accepted = await post('unsuspend', 'failed', 'respond-async')
  const path = accepted.headers.get('location') ?? ''
  t.match(await ended(path), { state: 'failed', status: 500, result: null })
  const repeat = await post('unsuspend', 'failed', 'wait=20')
  t.match(repeat, { status: 200, body: { state: 'active' } })
  t.equal(repeat.headers.get('idempotent-replayed'), null)
  t.match(await ended(path), { state: 'succeeded', status: 200, result: { state: 'active' } })
})

t.test('the job of a sign-on shows its link to the token that made it', async t => {
  const link = await post('login', 'link', 'wait=1')
  const { rows } = await panel.pool.query(`select id from panel.operations where key = 'link'`)
  const job = await call('GET', `/api/v1/jobs/${rows[0].id}`)
  t.match(job.body, { state: 'succeeded', status: 200, result: link.body })
})

t.test('a job belongs to the token that made it', async t => {
  const { rows } = await panel.pool.query('select id from panel.operations limit 1')
  const { token } = await createToken(panel.pool, { owner: 'admin', name: 'other' })
  t.equal((await call('GET', `/api/v1/jobs/${rows[0].id}`)).status, 200)
  t.equal((await call('GET', `/api/v1/jobs/${rows[0].id}`, { token })).status, 404)
  t.equal((await call('GET', '/api/v1/jobs/nonsense')).status, 404)
})
