import t from 'tap'
import { listWebhooks, removeWebhook } from '../../src/model/events/webhooks.ts'
import { emitted, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'

// The retention of deliveries, and the state of failing webhooks.

const { pool } = await database(t)
const nowhere = 'https://hooks.example.com/'

// Deliveries of one event to a webhook: their ages, and how they ended.
async function history(webhookId: string, ages: string[], state: string) {
  await pool.query(
    `with e as (select id from panel.events limit 1)
     insert into panel.deliveries
       (webhook_id, event_id, state, attempts, queue_job_id, created_at, due_at, finished_at)
     select $1, e.id, $3, case $3 when 'due' then 0 else 3 end, 1, now() - age.age::interval,
       now() - age.age::interval, case when $3 <> 'due' then now() - age.age::interval end
     from e, unnest($2::text[]) as age (age)`,
    [webhookId, ages, state],
  )
}

const everyHour = (from: number, count: number) =>
  Array.from({ length: count }, (_, hour) => `${from + hour} hours`)

const isFailing = async (webhookId: string) =>
  (await listWebhooks(pool)).find(({ id }) => id === webhookId)?.failing

await emitted(pool, 'account.deleted', { username: 'alice' })

t.test('a webhook fails once 100 deliveries of three days have failed', async t => {
  const { id } = await webhookTo(pool, nowhere)
  t.equal(await isFailing(id), false)
  await history(id, everyHour(1, 99), 'failed')
  t.equal(await isFailing(id), false, '99')
  await history(id, ['100 hours'], 'failed')
  t.equal(await isFailing(id), true, '100 over four days')
  await history(id, ['1 minute'], 'due')
  t.equal(await isFailing(id), true, 'an attempt in progress says nothing')
  await history(id, ['50 hours'], 'delivered')
  t.equal(await isFailing(id), false, 'one was delivered meanwhile')
})

t.test('many that failed within less than three days are not enough', async t => {
  const { id } = await webhookTo(pool, nowhere)
  const everyMinute = Array.from({ length: 300 }, (_, minute) => `${minute} minutes`)
  await history(id, everyMinute, 'failed')
  t.equal(await isFailing(id), false)
  await history(id, ['70 hours'], 'failed')
  t.equal(await isFailing(id), false)
  await history(id, ['73 hours'], 'failed')
  t.equal(await isFailing(id), true)
  await history(id, ['71 hours'], 'delivered')
  t.equal(await isFailing(id), false, 'the failures since then are younger')
})

t.test(
  'a delivery is kept for 30 days after its end, and what is due as long as it is',
  async t => {
    await pool.query('truncate panel.webhooks, panel.events cascade')
    const [{ id }, { id: removed }] = [
      await webhookTo(pool, nowhere),
      await webhookTo(pool, nowhere),
    ]
    await removeWebhook(pool, removed)
    await emitted(pool, 'account.deleted', { username: 'alice' })
    await pool.query(`update panel.deliveries set created_at = now() - interval '40 days'`)
    await pool.query(`update panel.events set created_at = now() - interval '40 days'`)
    await history(id, ['31 days'], 'failed')
    await history(id, ['29 days'], 'delivered')
    await history(removed, ['31 days'], 'cancelled')
    await pool.query(
      `insert into panel.attempts (delivery_id, number, started_at, duration_ms)
     select id, 1, created_at, 1 from panel.deliveries`,
    )
    // An event without deliveries, and one of today.
    await pool.query(`insert into panel.events (name, body, data, created_at)
    select 'account.deleted', '', '{}', now() - age
    from unnest(array[interval '31 days', interval '1 day']) age`)
    await pool.query(
      `update panel.webhooks set removed_at = now() - interval '2 hours' where id = $1`,
      [removed],
    )

    t.equal((await pool.query('select panel.purge(1000) as purged')).rows[0].purged, 2)
    await pool.query('select panel.number_events()')
    const purge = async () =>
      (await pool.query('select panel.purge(1000) as purged')).rows[0].purged
    t.equal(await purge(), 1, 'an event is kept until it has its number')
    t.equal(await purge(), 0)
    const { rows } = await pool.query('select state from panel.deliveries order by state')
    t.strictSame(rows, [{ state: 'delivered' }, { state: 'due' }])
    t.equal((await pool.query('select from panel.attempts')).rowCount, 2)
    t.equal((await pool.query('select from panel.events')).rowCount, 2)
    const { rows: webhooks } = await pool.query('select id from panel.webhooks')
    t.strictSame(webhooks, [{ id }])
  },
)
