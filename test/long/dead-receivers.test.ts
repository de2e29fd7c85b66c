import type { ServerResponse } from 'node:http'
import t from 'tap'
import { courierOn, emitted, hurryRetries, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// One slow or dead receiver holds up its own deliveries only.

const { url, pool } = await database(t)
const events = 30

const states = async (webhookId: string) => {
  const { rows } = await pool.query(
    `select state, is_blocked, attempts from panel.deliveries where webhook_id = $1`,
    [webhookId],
  )
  return rows as { state: string; is_blocked: boolean; attempts: number }[]
}

t.test('a receiver that hangs has four attempts in flight, and the others get all', async t => {
  const [dead, alive] = [await receiverFor(t), await receiverFor(t)]
  const open: ServerResponse[] = []
  dead.answer = (_request, response) => void open.push(response)
  const { id: deadId } = await webhookTo(pool, dead.url)
  const { id: aliveId } = await webhookTo(pool, alive.url)
  const courier = await courierOn(t, url, { outside: { allowed: ['127.0.0.0/8'] } })
  for (let count = 0; count < events; count++) {
    await emitted(pool, 'account.deleted', { username: `user${count}` })
  }
  await until(async () => (await states(aliveId)).every(({ state }) => state === 'delivered'))
  t.equal(alive.received.length, events)
  await until(
    async () => (await states(deadId)).filter(each => each.is_blocked).length === events - 4,
  )
  t.equal(dead.received.length, 4)
  t.equal((await states(deadId)).filter(({ attempts }) => attempts > 0).length, 0)

  // It answers again: waiting deliveries get their turn at once.
  dead.answer = (_request, response) => response.writeHead(204).end()
  for (const response of open) response.writeHead(204).end()
  await until(async () => (await states(deadId)).every(({ state }) => state === 'delivered'))
  t.equal(dead.received.length, events)
  const ids = dead.received.map(({ headers }) => headers['x-panel-delivery'])
  t.equal(new Set(ids).size, events)
  const { rows } = await pool.query(
    'select count(distinct queue_job_id)::int as jobs from panel.deliveries where webhook_id = $1',
    [deadId],
  )
  t.strictSame(rows, [{ jobs: 4 }], 'the jobs of the first four have seen to all')
  await courier.stop()
})

t.test('after a timeout it has one try in flight, and retries when they are due', async t => {
  const dead = await receiverFor(t)
  dead.answer = () => undefined
  await pool.query('update panel.webhooks set removed_at = now()')
  const { id } = await webhookTo(pool, dead.url)
  let [inFlight, max] = [0, 0]
  const courier = await courierOn(t, url, {
    outside: { allowed: ['127.0.0.0/8'], limits: { totalMs: 300 } },
    observe: async (step, work) => {
      if (step === 'post') max = Math.max(max, ++inFlight)
      const result = await work()
      if (step === 'post') inFlight -= 1
      return result
    },
  })
  const client = await pool.connect()
  await client.query('begin')
  for (let count = 0; count < 8; count++) {
    await emitted(client, 'account.deleted', { username: `user${count}` })
  }
  await client.query('commit')
  client.release()
  await until(async () => (await states(id)).filter(({ attempts }) => attempts === 1).length >= 4)
  t.equal(max, 4)
  max = 0
  await until(async () => (await states(id)).every(({ attempts }) => attempts === 1))
  t.equal(max, 1)
  await hurryRetries(pool)
  await until(async () => (await states(id)).every(({ attempts }) => attempts === 2))
  t.ok(max > 1, 'a due retry waits for no place')
  await hurryRetries(pool)
  await until(async () => (await states(id)).every(({ state }) => state === 'failed'))
  const { rows } = await pool.query(
    'select distinct error from panel.attempts where error is not null',
  )
  t.strictSame(rows, [{ error: 'No response within 0.3 s' }])
  await courier.stop()
})
