import t from 'tap'
import { listDeliveries, tryOut } from '../../src/model/events/delivery-records.ts'
import { testEvent } from '../../src/model/events/event-examples.ts'
import { courierOn, emitted, sentBody, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const { url, pool } = await database(t)
const receiver = await receiverFor(t)
const { id: webhookId } = await webhookTo(pool, `${receiver.url}/`)
await courierOn(t, url)

// The time from the end of its last attempt until a delivery and its job are due.
const waits = async (): Promise<{ wait: string; is_job_the_same: boolean }[]> => {
  const { rows } = await pool.query(
    `select (d.due_at - t.started_at - t.duration_ms * interval '1 ms')::text as wait,
       j.run_at = d.due_at as is_job_the_same
     from panel.deliveries d
     join panel.attempts t on t.delivery_id = d.id and t.number = d.attempts
     join courier_queue.jobs j on j.id = d.queue_job_id and j.locked_at is null
     where d.state = 'due'`,
  )
  return rows
}

const tried = (count: number) =>
  until(async () => {
    const [delivery] = await listDeliveries(pool, { limit: 1 })
    return delivery?.attempts.length === count && delivery
  })

// Makes the next retry due in a moment.
const comesIn = async (interval: string) => {
  const { rows } = await pool.query(
    `with moved as (
       update panel.deliveries set due_at = clock_timestamp() + $1::interval
       where state = 'due' returning queue_job_id, due_at)
     update courier_queue._private_jobs j set run_at = m.due_at
     from moved m where j.id = m.queue_job_id
     returning m.due_at`,
    [interval],
  )
  return rows[0].due_at as Date
}

t.test('a failed delivery is tried again 5 s and 30 s after the failure, and no more', async t => {
  receiver.answer = (_request, response) => response.writeHead(503).end('not now')
  const { id: eventId } = await emitted(pool, 'account.deleted', { username: 'alice' })
  await tried(1)
  t.strictSame(await waits(), [{ wait: '00:00:05', is_job_the_same: true }])
  await comesIn('100 ms')
  await tried(2)
  t.strictSame(await waits(), [{ wait: '00:00:30', is_job_the_same: true }])
  await comesIn('100 ms')
  const { id, state, attempts } = await tried(3)
  t.equal(state, 'failed')
  t.strictSame(await waits(), [])
  t.strictSame(
    attempts.map(each => [each.number, each.status, each.error, each.answer]),
    [1, 2, 3].map(number => [number, 503, 'Answered 503', 'not now']),
  )
  t.equal(receiver.received.length, 3)
  const body = await sentBody(pool, eventId)
  t.match(`${body}`, /,"sequence":1\}$/)
  for (const each of receiver.received) {
    t.strictSame(each.body, body)
    t.equal(each.headers['x-panel-delivery'], id)
  }
  const signatures = receiver.received.map(each => each.headers['x-panel-signature'])
  t.equal(new Set(signatures).size, 1)
})

t.test('a retry that succeeds is the last', async t => {
  await emitted(pool, 'account.deleted', { username: 'bob' })
  await tried(1)
  receiver.answer = (_request, response) => response.writeHead(299).end()
  const due = await comesIn('1500 ms')
  const { state, attempts } = await tried(2)
  t.equal(state, 'delivered')
  t.match(attempts[1], { number: 2, status: 299, error: null })
  // The queue alone would fetch it up to a second later.
  const lateMs = new Date(attempts[1]!.started_at).getTime() - due.getTime()
  t.ok(lateMs >= -1 && lateMs < 900, `${lateMs} ms after it was due`)
})

t.test('a test event has one try', async t => {
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const event = testEvent('account.suspended', { server: 'panel.test', time: new Date() })
  await tryOut(pool, webhookId, event)
  const { state, is_test } = await tried(1)
  t.strictSame({ state, is_test }, { state: 'failed', is_test: true })
  const { data, sequence } = JSON.parse(`${receiver.received.at(-1)?.body}`)
  t.strictSame(data, {
    username: 'alice',
    reason: 'Invoice 4711 is overdue',
    reference: 'order-1041',
    test: true,
  })
  t.equal(sequence, 0, 'it has no place among the events')
})

t.test('an attempt that is recorded late still counts from the failure', async t => {
  receiver.answer = (_request, response) => response.writeHead(500).end()
  const { rows } = await pool.query(
    `select panel.try_out_webhook($1, 'account.deleted', '{"data":{}}') as id`,
    [webhookId],
  )
  await tried(1)
  // Its first attempt is undone, and recorded as one of 700 ms that ended two seconds ago.
  await pool.query(
    `update panel.deliveries set state = 'due', finished_at = null, attempts = 0, max_attempts = 3
     where id = $1`,
    [rows[0].id],
  )
  await pool.query('delete from panel.attempts where delivery_id = $1', [rows[0].id])
  const { rows: recorded } = await pool.query(
    `select r.state, r.attempts, extract(epoch from r.due_at - clock_timestamp())::float8 as wait
     from panel.deliveries d,
       panel.record_attempts(array[d.id], array[d.epoch], array[700], array[2000], array[500],
         array['Answered 500'], array[null::bytea]) r
     where d.id = $1`,
    [rows[0].id],
  )
  t.match(recorded, [{ state: 'due', attempts: 1 }])
  t.ok(recorded[0].wait > 2 && recorded[0].wait <= 3, `due in ${recorded[0].wait} s`)
  t.strictSame(await waits(), [{ wait: '00:00:05', is_job_the_same: true }])
})

t.test('a worker records nothing for an attempt that another has taken up since', async t => {
  const { rows } = await pool.query(
    `select r.* from panel.deliveries d,
       panel.record_attempts(array[d.id], array[d.epoch - 1], array[1], array[0], array[200],
         array[null], array[null::bytea]) r
     where d.state = 'due'`,
  )
  t.strictSame(rows, [])
  t.equal((await tried(1)).state, 'due')
})
