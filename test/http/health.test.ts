import t from 'tap'
import { courierOn } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'

const panel = await openPanel(t, { hasWorker: false })
const readyz = () => panel.call('GET', '/readyz', { token: null })

t.test('the API alone is healthy, and not ready', async t => {
  t.match(await panel.call('GET', '/healthz', { token: null }), { status: 200 })
  const answer = await readyz()
  t.match(answer, { status: 503, body: { error: 'Not running: worker, courier' } })
  t.ok(answer.headers.get('retry-after'))
})

t.test('the panel is ready once worker and courier are up, and no longer without one', async t => {
  const worker = await panel.startWorker()
  const courier = await courierOn(t, panel.databaseUrl)
  t.equal((await readyz()).status, 200)
  await courier.stop()
  t.match(await readyz(), { status: 503, body: { error: 'Not running: courier' } })
  await worker.stop()
})

t.test('a bearer token changes nothing outside /api/v1', async t => {
  const answer = await panel.call('GET', '/healthz', { token: 'pnl_wrong' })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('ratelimit-limit'), null)
})
