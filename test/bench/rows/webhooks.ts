import { inTurns, decide, type Row } from '../row.ts'
import { addWebhooks, body, forget, name, openCouriers, startLoop } from '../webhooks.ts'
import { setTimeout as sleep } from 'node:timers/promises'

// 10,000 deliveries that become due at once, until the last one is recorded, against a loop that
// posts as many of the same bodies to the same receiver.

const webhooks = 10
const deliveries = 10_000
const rounds = 5

const measure: Row = async bench => {
  await using couriers = await openCouriers(bench, 'webhooks')
  const { db, receiver } = couriers
  await addWebhooks(couriers, webhooks, '/')
  await using _courier = await couriers.startCourier()
  await using loop = await startLoop(receiver.port, deliveries)

  const deliver = async (): Promise<number> => {
    const { rows } = await db.query<{ at: Date }>(
      `with emitted as (select count(panel.emit($1, null, null, $2)) from generate_series(1, $3))
       select clock_timestamp() as at from emitted`,
      [name, body, deliveries / webhooks],
    )
    while ((await remaining()) > 0) await sleep(50)
    const { rows: ended } = await db.query<{ ms: number }>(
      `select extract(epoch from max(finished_at) - $1)::float8 * 1000 as ms
       from panel.deliveries where state = 'delivered' and attempts = 1
       having count(*) = $2`,
      [rows[0]!.at, deliveries],
    )
    if (ended[0] === undefined) throw new Error('Not all were delivered by their first try')
    await forget(couriers)
    return ended[0].ms
  }
  const remaining = async (): Promise<number> => {
    const { rowCount } = await db.query(`select from panel.deliveries where state = 'due' limit 1`)
    return rowCount ?? 0
  }

  const measured = await inTurns(rounds, { floor: loop.run, ours: deliver })
  const about = {
    what: `${deliveries} webhook deliveries`,
    unit: 'deliveries/s',
    bound: { atLeast: 0.25 },
  }
  return [decide(about, measured, ms => deliveries / (ms / 1_000))]
}

export default measure
