import { setTimeout as sleep } from 'node:timers/promises'
import { inTurns, decide, type Row } from '../row.ts'
import { addWebhooks, body, forget, name, openCouriers } from '../webhooks.ts'

// 10,000 deliveries of successive events, for longer than an attempt may take: how soon the healthy
// receivers have theirs while 3 of 10 receivers hang, against how soon without those.

const healthy = 7
const hanging = 3
const events = 1_000
const durationMs = 24_000
const rounds = 3

const measure: Row = async bench => {
  await using couriers = await openCouriers(bench, 'webhooks_hanging')
  const { db } = couriers

  // The milliseconds after its commit in which 99 of 100 healthy deliveries are recorded.
  const side = (hangingToo: boolean) => async (): Promise<number> => {
    await db.query('delete from panel.webhooks')
    await addWebhooks(couriers, healthy, '/')
    if (hangingToo) await addWebhooks(couriers, hanging, '/hang')
    // Each side begins with a new courier, which knows no receiver.
    const courier = await couriers.startCourier()
    const begunAt = performance.now()
    for (let count = 0; count < events; count++) {
      await sleep(Math.max(0, begunAt + (count * durationMs) / events - performance.now()))
      await db.query('select panel.emit($1, null, null, $2)', [name, body])
    }
    while ((await remaining()) > 0) await sleep(50)
    const { rows } = await db.query<{ p99: number }>(
      `select percentile_cont(0.99) within group (
         order by extract(epoch from d.finished_at - d.created_at)) * 1000 as p99
       from panel.deliveries d join panel.webhooks w on w.id = d.webhook_id
       where w.url like '%/' and d.state = 'delivered' and d.attempts = 1
       having count(*) = $1`,
      [events * healthy],
    )
    if (rows[0] === undefined) throw new Error('Not all were delivered by their first try')
    await courier[Symbol.asyncDispose]()
    await forget(couriers)
    return rows[0].p99
  }
  const remaining = async (): Promise<number> => {
    const { rowCount } = await db.query(
      `select from panel.deliveries d join panel.webhooks w on w.id = d.webhook_id
       where w.url like '%/' and d.state = 'due' limit 1`,
    )
    return rowCount ?? 0
  }

  const measured = await inTurns(rounds, { floor: side(false), ours: side(true) })
  const about = {
    what: `healthy deliveries while ${hanging} of ${healthy + hanging} webhooks hang`,
    unit: 'ms (p99)',
    bound: { atMost: 1.5 },
  }
  return [decide(about, measured, p99 => p99)]
}

export default measure
