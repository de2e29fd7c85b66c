import t, { type Test } from 'tap'
import { openPool } from '../../src/db.ts'
import { planned } from '../../src/courier/courier.ts'
import { emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'

// 100,000 deliveries are due at once, in a queue whose size the planner is wrong about. A statement
// that compares each with each ends at the courier's limit of 15 s.

const count = 100_000

/** Deliveries that are due, and for each a job that is due; no courier runs. */
async function manyDue(t: Test, { isBlocked = false }) {
  const { url, pool } = await database(t)
  const { id: webhookId } = await webhookTo(pool, 'http://127.0.0.1:9/')
  const { id: eventId } = await emitted(pool, 'account.deleted', { username: 'alice' })
  await pool.query(
    `insert into panel.deliveries (webhook_id, event_id, is_blocked, queue_job_id)
     select $1, $2, $3, case when not $3 then 1000 + n end from generate_series(2, $4::int) n`,
    [webhookId, eventId, isBlocked, count],
  )
  await pool.query(
    `insert into courier_queue._private_jobs
       (id, task_id, payload, run_at, max_attempts, key)
     overriding system value
     select d.queue_job_id, j.task_id, json_build_object('deliveryId', d.id), j.run_at,
       j.max_attempts, 'delivery:' || d.id || ':1'
     from panel.deliveries d, courier_queue._private_jobs j
     where d.queue_job_id is not null and d.queue_job_id <> j.id`,
  )
  const courier = openPool(url, 'panel_courier', 1, planned)
  t.teardown(() => courier.end())
  const sweep = async () => {
    const { rows } = await courier.query<{ enqueued: number; blocked: number }>(
      'select enqueued, cardinality(blocked) as blocked from panel.sweep_deliveries()',
    )
    return rows[0]
  }
  return { pool, sweep }
}

const beliefs = {
  'that the queue is empty': [0, 1],
  // As after a burst: what is gone is still counted.
  'that it is far larger': [100_000, 1],
}

for (const [belief, [rows, pages]] of Object.entries(beliefs)) {
  t.test(`a lost job is found among ${count}, in the belief ${belief}`, async t => {
    const { pool, sweep } = await manyDue(t, {})
    await pool.query(
      `update pg_class set reltuples = $1, relpages = $2
       where oid = 'courier_queue._private_jobs'::regclass`,
      [rows, pages],
    )
    t.match(await sweep(), { enqueued: 0 })
    // One way each to have no job that wakes anybody.
    await pool.query('delete from courier_queue._private_jobs where id = 2000')
    await pool.query(
      `update courier_queue._private_jobs set run_at = now() + interval '1 min' where id = 3000`,
    )
    await pool.query(
      'update courier_queue._private_jobs set attempts = max_attempts where id = 4000',
    )
    await pool.query('update courier_queue._private_jobs set locked_at = now() where id = 5000')
    t.match(await sweep(), { enqueued: 3 })
    t.match(await sweep(), { enqueued: 0 })
  })
}

t.test('where all have lost their jobs, 1,000 get one in each turn', async t => {
  const { pool, sweep } = await manyDue(t, {})
  await pool.query('truncate courier_queue._private_jobs')
  for (const _turn of [1, 2, 3]) t.match(await sweep(), { enqueued: 1_000 })
  const { rows } = await pool.query('select count(*)::int as jobs from courier_queue.jobs')
  t.strictSame(rows, [{ jobs: 3_000 }])
})

t.test('the first of those that are blocked by nothing are woken', async t => {
  const { pool, sweep } = await manyDue(t, { isBlocked: true })
  t.match(await sweep(), { enqueued: 0, blocked: 1 }, 'one has a job, and sees to the others')
  await pool.query(
    `update panel.deliveries set state = 'delivered', finished_at = now() where not is_blocked`,
  )
  t.match(await sweep(), { enqueued: 4, blocked: 1 })
  t.match(await sweep(), { enqueued: 0, blocked: 1 })
})
