import t from 'tap'
import * as deliveries from '../../src/courier/deliveries.ts'
import { courierOn, emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// A courier that is killed between the record of an attempt and the end of its job leaves that job,
// and the retry's own next to it. A courier that starts after the retry's time fetches both at
// once.

const { url, pool } = await database(t)
const receiver = await receiverFor(t)
await webhookTo(pool, `${receiver.url}/`)

const outcome = {
  status: 503,
  error: 'Answered 503',
  isTimeout: false,
  answer: null,
  durationMs: 1,
}
const ended = (due: deliveries.Due) => ({ due, outcome, endedAt: performance.now() })
type Row = { id: string; jobId: string; epoch: number; attempts: number }
const due = async (): Promise<Row> => {
  const { rows } = await pool.query<Row>(
    `select id, queue_job_id as "jobId", epoch, attempts from panel.deliveries where state = 'due'`,
  )
  return rows[0]!
}
const makeDue = () =>
  pool.query(
    `with due as (
       update panel.deliveries set due_at = now() where state = 'due' returning queue_job_id)
     update courier_queue._private_jobs j set run_at = now()
     from due where j.id = due.queue_job_id`,
  )

await emitted(pool, 'account.deleted', { username: 'alice' })
const first = await due()
const [found] = await deliveries.findDue(pool, [first])
await deliveries.record(pool, [ended(found!)])
await makeDue()
const second = await due()

t.test('the job that is left finds nothing to do, in whatever order', async t => {
  t.not(second.jobId, first.jobId)
  const both = await deliveries.findDue(pool, [first, second])
  t.match(both, [undefined, { id: first.id, epoch: second.epoch }])
  t.match(await deliveries.findDue(pool, [second, first]), [{ id: first.id }, undefined])
})

t.test('a try that is recorded twice at once counts once', async t => {
  const [again] = await deliveries.findDue(pool, [second])
  const recorded = await deliveries.record(pool, [ended(found!), ended(again!), ended(again!)])
  t.equal(recorded[0], undefined)
  t.equal(recorded.filter(one => one?.attempts === 2).length, 1)
  t.match(await due(), { attempts: 2, epoch: second.epoch + 1 })
})

t.test('one courier that has all of these jobs makes one try', async t => {
  await makeDue()
  receiver.answer = (_request, response) => response.writeHead(204).end()
  await courierOn(t, url)
  await until(async () => (await pool.query('select from courier_queue.jobs')).rowCount === 0)
  t.equal(receiver.received.length, 1)
  const { rows } = await pool.query(`select state, attempts from panel.deliveries`)
  t.strictSame(rows, [{ state: 'delivered', attempts: 3 }])
})
