import type { ServerResponse } from 'node:http'
import t from 'tap'
import { listDeliveries } from '../../src/model/events/delivery-records.ts'
import { courierOn, emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

t.test('a courier that stops records what ends soon, and leaves the rest as it was', async t => {
  const { url, pool } = await database(t)
  const receiver = await receiverFor(t)
  const open = new Map<string, ServerResponse>()
  receiver.answer = ({ path }, response) => void open.set(path, response)
  await webhookTo(pool, `${receiver.url}/soon`)
  await webhookTo(pool, `${receiver.url}/never`)
  const first = await courierOn(t, url)
  await emitted(pool, 'account.deleted', { username: 'alice' })
  await until(() => open.size === 2)

  const stopped = first.stop()
  // It begins nothing new.
  await emitted(pool, 'account.deleted', { username: 'bob' })
  open.get('/soon')?.writeHead(204).end()
  await stopped
  t.equal(receiver.received.length, 2)
  const states = async () =>
    (await listDeliveries(pool, { limit: 10 })).map(({ state, attempts }) => [
      state,
      attempts.length,
    ])
  t.strictSame((await states()).sort(), [
    ['delivered', 1],
    ['due', 0],
    ['due', 0],
    ['due', 0],
  ])

  receiver.answer = (_request, response) => response.writeHead(204).end()
  await courierOn(t, url)
  await until(async () => (await states()).every(([state]) => state === 'delivered'))
  t.ok((await states()).every(([, attempts]) => attempts === 1))
  t.equal(receiver.received.length, 5)
})
