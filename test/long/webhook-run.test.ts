import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { migrate } from '../../src/migrate.ts'
import { startPostgres } from '../../src/start/embedded-postgres.ts'
import { supervise } from '../../src/start/supervise.ts'
import { emitted, hurryRetries, webhookTo } from '../support/courier.ts'
import { fileTimeoutS, isFull } from '../support/full.ts'
import { receiverFor } from '../support/receiver.ts'
import { scratch } from '../support/scratch.ts'

// A run with everything that may happen: two couriers of which one or the other is killed,
// PostgreSQL killed, receivers that flap, changes that are rolled back. PANEL_TEST_FULL=yes makes
// it one of 5,000 events.

const events = isFull ? 5_000 : 60
const kills = isFull ? 40 : 3

// Real processes, on a machine that may be busy with other tests.
t.setTimeout(fileTimeoutS * 1_000)

const stateDir = scratch(t)
let postgres = await startPostgres({ stateDir, durable: true })
t.teardown(() => postgres.stop())
await migrate(postgres.url)
const address = new URL(postgres.url)
address.username = 'postgres'
const pool = new pg.Pool({ connectionString: address.href, max: 2 })
// Its connections are lost with PostgreSQL, used or idle.
pool.on('error', () => undefined)
pool.on('connect', client => client.on('error', () => undefined))
t.teardown(() => pool.end())

// Repeats a query until the database answers.
const insist = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch(async () => {
    await sleep(50)
    return insist(ask)
  })

const receiver = await receiverFor(t)
receiver.answer = ({ path }, response) => {
  if (path === '/fine') return response.writeHead(204).end()
  const fate = path === '/refusing' ? 1 : randomInt(4)
  if (fate === 0) return response.socket?.destroy()
  return response.writeHead(fate === 1 ? 503 : 200).end('x'.repeat(randomInt(4_000)))
}
for (const path of ['/fine', '/flapping', '/refusing']) {
  await webhookTo(pool, `${receiver.url}${path}`)
}
await webhookTo(pool, `${receiver.url}/flapping`, ['account.suspended'])

const isAnyDue = async () => {
  const text = `select from panel.deliveries where state = 'due' limit 1`
  return (await insist(() => pool.query(text))).rowCount !== 0
}

const courier = (number: number) =>
  supervise({
    name: `courier${number}`,
    command: [
      process.execPath,
      join(import.meta.dirname, '../support/programs/courier.ts'),
      postgres.url,
    ],
    environment: process.env,
    logFile: join(stateDir, `courier${number}.log`),
    report: () => undefined,
  })

t.test('every event reaches its webhooks, or its three attempts are recorded', async t => {
  const couriers = [courier(1), courier(2)]
  t.teardown(() => Promise.all(couriers.map(each => each.stop(2_000))))
  const rolledBack: string[] = []
  let emittedSoFar = 0

  const emitting = (async () => {
    while (emittedSoFar < events) {
      const username = `user${emittedSoFar}`
      const client = await insist(() => pool.connect())
      try {
        await client.query('begin')
        await emitted(client, 'account.suspended', {
          username: `${username}.undone`,
          reason: null,
        })
        await client.query('rollback')
        rolledBack.push(`${username}.undone`)
        await client.query('begin')
        await emitted(client, 'account.suspended', { username, reason: 'flapping' })
        await emitted(client, 'account.unsuspended', { username })
        await client.query('commit')
        emittedSoFar += 2
      } catch {
        // PostgreSQL was killed: only its rows say whether it has committed.
      } finally {
        client.release(true)
      }
      await sleep(isFull ? 2 : 5)
    }
  })()
  const disturbing = (async () => {
    for (let kill = 0; kill < kills; kill++) {
      while (emittedSoFar < (events * (kill + 0.5)) / kills) await sleep(10)
      if (kill % 3 === 1) {
        await postgres.stop(true)
        postgres = await startPostgres({ stateDir, durable: true })
      } else {
        const victim = couriers[kill % 2]!
        victim.kill()
        couriers[kill % 2] = courier((kill % 2) + 1)
      }
    }
  })()
  await Promise.all([emitting, disturbing])
  while (await isAnyDue()) {
    await insist(() => hurryRetries(pool))
    await sleep(100)
  }

  const { rows: wrong } = await pool.query(
    `select d.id, d.state, d.attempts, w.url
     from panel.deliveries d join panel.webhooks w on w.id = d.webhook_id
     where d.attempts <> (select count(*) from panel.attempts t where t.delivery_id = d.id)
       or d.state = 'failed' and d.attempts <> 3
       or d.state = 'delivered' and exists (
         select from panel.attempts t where t.delivery_id = d.id and t.number = d.attempts
           and t.error is not null)
       or d.state = 'cancelled'
       or w.url like '%/fine' and (d.state <> 'delivered' or d.attempts <> 1)
       or w.url like '%/refusing' and d.state <> 'failed'`,
  )
  t.strictSame(wrong, [])
  const { rows: missing } = await pool.query(
    `select e.id, w.id as webhook
     from panel.events e join panel.webhooks w on w.events is null or e.name = any (w.events)
     left join panel.deliveries d on d.event_id = e.id and d.webhook_id = w.id
     group by e.id, w.id having count(d.id) <> 1`,
  )
  t.strictSame(missing, [], 'one delivery for each event and each webhook that wants it')
  const { rows: known } = await pool.query<{ id: string; state: string; body: Buffer }>(
    `select d.id, d.state, panel.event_body(e) as body
     from panel.deliveries d join panel.events e on e.id = d.event_id`,
  )
  t.ok(known.length >= events * 3)
  const received = Map.groupBy(receiver.received, each => `${each.headers['x-panel-delivery']}`)
  const neverCame = known.filter(({ id }) => !received.has(id))
  t.strictSame(neverCame, [])
  const others = known.filter(({ id, body }) =>
    received.get(id)?.some(each => !each.body.equals(body)),
  )
  t.strictSame(others, [], 'the bytes are the same at every try')
  t.equal(received.size, known.length, 'nothing has come that no change has caused')
  t.ok(rolledBack.length >= events / 2)
  t.notOk(receiver.received.some(({ body }) => body.includes('.undone')))
})
