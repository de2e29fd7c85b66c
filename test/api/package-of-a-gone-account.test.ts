import t from 'tap'
import { pause, resume } from '../../src/model/jobs/paused-tasks.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

// A package goes with the rows of the terminated accounts that had it.

const { call, pool } = await openPanel(t)
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })

const suspend = (key: string, headers = {}) =>
  call('POST', '/api/v1/accounts/alice/suspend', { key, headers })

t.test('operations blocked by a terminate are answered when the package goes', async t => {
  await pause(pool, 'account/terminate')
  await pause(pool, 'account/suspend')
  const headers = { prefer: 'respond-async' }
  await call('DELETE', '/api/v1/accounts/alice', { key: 'terminate', headers })
  for (const key of ['first', 'second', 'third']) await suspend(key, headers)
  await resume(pool, 'account/terminate')
  await until(async () => (await call('GET', '/api/v1/accounts/alice')).status === 404)
  t.equal((await call('DELETE', '/api/v1/packages/starter')).status, 200)
  await resume(pool, 'account/suspend')
  for (const key of ['first', 'second', 'third']) {
    const answer = await until(async () => {
      const repeat = await suspend(key)
      return repeat.status !== 409 && repeat
    }, 15_000)
    t.match(answer, { status: 404, body: { error: 'Unknown account: alice' } }, key)
  }
})
