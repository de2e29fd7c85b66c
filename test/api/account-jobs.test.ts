import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'

let isFailing = false
const panel = await openPanel(t, {
  observe: async (_step, work) => {
    if (isFailing) throw new Error('useradd: no space left on /home')
    await work()
  },
})
const { call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const jobs = (query = '') => call('GET', `/api/v1/accounts/alice/jobs${query}`)

t.test('operations of an account are listed, newest first', async t => {
  await call('POST', '/api/v1/accounts/alice/suspend', { body: { reason: 'Overdue' } })
  const { status, body } = await jobs()
  t.equal(status, 200)
  t.match(body.jobs, [
    { operation: 'account/suspend', state: 'succeeded', error: null, finished_at: String },
    { operation: 'account/create', state: 'succeeded', error: null },
  ])
  t.equal(body.jobs.length, 2)
  const keys = ['id', 'operation', 'state', 'error', 'created_at', 'finished_at']
  t.strictSame(Object.keys(body.jobs[0]), keys, 'and no answers')
  t.strictSame((await jobs('?limit=1')).body.jobs, [body.jobs[0]])
})

t.test('the reason of a refusal is shown, that of a failure only to administrators', async t => {
  await call('PUT', '/api/v1/accounts/alice/package', { body: { package: 'none' } })
  isFailing = true
  await call('PUT', '/api/v1/accounts/alice/password', { body: { password: 'another horse' } })
  isFailing = false
  const { body } = await jobs('?limit=1')
  t.match(body.jobs, [{ operation: 'account/set-password', state: 'failed', error: /was undone/ }])
  t.notMatch(JSON.stringify(body), 'useradd')
})

t.test('a wrong query and an unknown account are refused', async t => {
  for (const query of ['?limit=0', '?limit=101', '?limit=all', '?state=failed']) {
    t.equal((await jobs(query)).status, 400, query)
  }
  t.equal((await call('GET', '/api/v1/accounts/missing/jobs')).status, 404)
})
