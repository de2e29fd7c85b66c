import t from 'tap'
import { courierOn, emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// More than the courier has places for.
const many = 1_200
const limits = { totalMs: 8_000 }
const slotsPerWebhook = 64

const { url, pool } = await database(t)
const [hanging, healthy] = await Promise.all([receiverFor(t), receiverFor(t)])
hanging.answer = () => undefined
const { id: hangingId } = await webhookTo(pool, hanging.url, ['account.deleted'])
const { id: healthyId } = await webhookTo(pool, healthy.url, ['account.suspended'])

// For all of the tests.
const startCourier = () => courierOn(t, url, { outside: { allowed: ['127.0.0.0/8'], limits } })

const countOf = async (webhookId: string, which: string) => {
  const { rows } = await pool.query(
    `select count(*)::int as count from panel.deliveries where webhook_id = $1 and ${which}`,
    [webhookId],
  )
  return rows[0].count as number
}

t.test('a receiver that hangs with many retries due delays no other', async t => {
  await pool.query(
    `select panel.emit('account.deleted', null, null,
       convert_to(format('{"data":{"username":"%s"}}', n), 'utf8'))
     from generate_series(1, $1::int) n`,
    [many],
  )
  // Each has failed once, and is due now.
  await pool.query('update panel.deliveries set attempts = 1')
  await pool.query('update courier_queue._private_jobs set priority = -1')
  await startCourier()
  await until(async () => hanging.received.length >= slotsPerWebhook)

  const began = performance.now()
  await emitted(pool, 'account.suspended', { username: 'alice', reason: null })
  await until(async () => healthy.received.length > 0)
  const tookMs = performance.now() - began
  t.ok(tookMs < limits.totalMs / 2, `${tookMs} ms`)
  await until(async () => (await countOf(healthyId, `state = 'delivered'`)) === 1)
  t.equal(hanging.received.length, slotsPerWebhook)
  t.equal(await countOf(hangingId, `state = 'due'`), many)
})

t.test('those that waited go on in the order of their events, once it answers', async t => {
  const before = hanging.received.length
  hanging.answer = (_request, response) => response.writeHead(204).end()
  await until(async () => (await countOf(hangingId, `state = 'delivered'`)) > 20)
  const numbers = hanging.received.slice(before).map(({ body }) => {
    return Number(JSON.parse(`${body}`).data.username)
  })
  // Some are in progress at a time, and may overtake each other.
  t.ok(
    numbers.slice(0, 5).every(number => number > slotsPerWebhook && number < slotsPerWebhook + 20),
  )
})
