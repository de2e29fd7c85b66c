import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { courierOn, emitted, hurryRetries, webhookTo } from '../support/courier.ts'
import { database } from '../support/database.ts'
import { receiverFor } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// Couriers are killed at every point of a delivery; each takes over from the one before it.

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(240_000)

const { url, pool } = await database(t)
const receiver = await receiverFor(t)
receiver.answer = async ({ path }, response) => {
  // So that there are more of them than places.
  await sleep(20)
  response.writeHead(path === '/refusing' ? 503 : 204).end()
}
await webhookTo(pool, `${receiver.url}/fine`)
await webhookTo(pool, `${receiver.url}/refusing`)

const program = join(import.meta.dirname, '../support/programs/courier.ts')
const eventsEach = 8
const points = [
  ['before', 'find'],
  ['after', 'post'],
  ['after', 'record'],
  ['after', 'suspend'],
  ['before', 'take'],
  ['after', 'take'],
] as const

t.test('nothing is lost, and no try is counted that was not made', async t => {
  for (const [moment, step] of points) {
    const client = await pool.connect()
    await client.query('begin')
    for (let count = 0; count < eventsEach; count++) {
      await emitted(client, 'account.deleted', { username: `${step}-${moment}-${count}` })
    }
    await client.query('commit')
    client.release()
    const courier = spawn(process.execPath, [program, url, step, moment], { stdio: 'ignore' })
    t.strictSame(await once(courier, 'exit'), [null, 'SIGKILL'], `killed ${moment} ${step}`)
    await hurryRetries(pool)
  }
  await courierOn(t, url)
  await until(async () => {
    await hurryRetries(pool)
    await sleep(50)
    const { rowCount } = await pool.query(`select from panel.deliveries where state = 'due'`)
    return rowCount === 0
  })

  const { rows } = await pool.query(
    `select w.url, d.state, d.attempts, count(*)::int as deliveries,
       bool_and(d.attempts = (
         select count(*) from panel.attempts t where t.delivery_id = d.id)) as is_reported
     from panel.deliveries d join panel.webhooks w on w.id = d.webhook_id
     group by w.url, d.state, d.attempts order by w.url`,
  )
  const deliveries = points.length * eventsEach
  t.strictSame(rows, [
    { url: `${receiver.url}/fine`, state: 'delivered', attempts: 1, deliveries, is_reported: true },
    {
      url: `${receiver.url}/refusing`,
      state: 'failed',
      attempts: 3,
      deliveries,
      is_reported: true,
    },
  ])
  const { rows: known } = await pool.query<{ id: string; body: Buffer; url: string }>(
    `select d.id, panel.event_body(e) as body, w.url
     from panel.deliveries d
     join panel.events e on e.id = d.event_id join panel.webhooks w on w.id = d.webhook_id`,
  )
  const received = Map.groupBy(receiver.received, each => `${each.headers['x-panel-delivery']}`)
  for (const { id, body, url } of known) {
    const those = received.get(id) ?? []
    const min = url.endsWith('/fine') ? 1 : 3
    if (those.length < min) t.fail(`${id} has come ${those.length} times`)
    if (those.some(each => !each.body.equals(body))) t.fail(`${id} has come with other bytes`)
  }
  t.equal(received.size, known.length, 'nothing else has come')
  t.equal((await pool.query('select from courier_queue.jobs')).rowCount, 0)
})
