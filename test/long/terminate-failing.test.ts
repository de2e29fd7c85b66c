import t from 'tap'
import { stepsOf } from '../../src/host/apply.ts'
import { alice, openPanel } from '../support/panel.ts'
import { until } from '../support/until.ts'

let failing: string | undefined
const panel = await openPanel(t, {
  observe: async (step, work) => {
    if (step === failing) throw new Error('staged')
    await work()
  },
})
const { call, pool } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })

for (const [index, step] of stepsOf('terminated').entries()) {
  t.test(`a terminate that fails at «${step}» only goes forward, until it is done`, async t => {
    const username = `user${index}`
    const body = { ...alice, username, domain: `${username}.example` }
    await call('POST', '/api/v1/accounts', { body })
    failing = step
    const request = { key: `terminate-${index}` }
    const answer = call('DELETE', `/api/v1/accounts/${username}`, request)
    await until(async () => {
      const { rows } = await pool.query(
        'select error from panel.operations where key = $1 and due_at > now()',
        [request.key],
      )
      return rows[0]?.error === 'staged'
    })
    const meanwhile = await call('GET', `/api/v1/accounts/${username}`)
    t.match(meanwhile, { status: 200, body: { state: 'terminating' } })
    t.equal((await call('DELETE', `/api/v1/accounts/${username}`, request)).status, 409)
    failing = undefined
    await pool.query('update panel.operations set due_at = now() where key = $1', [request.key])
    t.match(await answer, { status: 200, body: { state: 'terminated' } })
  })
}
