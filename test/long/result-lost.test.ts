import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { proxy, type Verdict } from '../support/proxy.ts'
import { workerOn } from '../support/worker.ts'

// After an error at the result's COMMIT the outcome is unknown, not failed.

const panel = await openPanel(t, { hasWorker: false })
await panel.call('PUT', '/api/v1/packages/starter', { body: {} })

// The prepared name of the statement that commits the result.
let loss: Verdict = 'pass'
let losses = 0
const url = await proxy(t, panel.databaseUrl, chunk => {
  if (loss === 'pass' || !chunk.includes('finish_operation')) return 'pass'
  const verdict = loss
  loss = 'pass'
  losses++
  return verdict
})
const worker = await workerOn(url, panel.root)
t.teardown(worker.stop)

for (const [index, moment] of (['lose before', 'lose after'] as const).entries()) {
  t.test(`a connection lost at the result (${moment}) loses nothing`, async t => {
    const username = `user${index}`
    const body = { ...alice, username, domain: `site${index}.example` }
    loss = moment
    const created = await panel.call('POST', '/api/v1/accounts', { key: username, body })
    t.equal(losses, index + 1, 'the connection was lost')
    t.match(created, { status: 201, body: { state: 'active' } })
    const { rows } = await panel.pool.query(
      `select name from panel.events where data ->> 'username' = $1 order by id`,
      [username],
    )
    t.strictSame(rows, [{ name: 'account.created' }, { name: 'site.created' }])
    const repeat = await panel.call('POST', '/api/v1/accounts', { key: username, body })
    t.equal(repeat.text, created.text)
    t.equal(repeat.headers.get('idempotent-replayed'), 'true')
  })
}
