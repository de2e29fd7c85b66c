import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import { numberEvents } from '../model/events/event-feed.ts'
import { erasePreviousSecrets } from '../model/events/webhooks.ts'
import type { Lanes } from './lanes.ts'
import { repeat, type RepeatedWork } from '../queue/repeated-work.ts'

// A timer may fire slightly early by the database's clock.
const lateMs = 3

type Swept = { enqueued: number; blocked: string[]; dueInMs: number[] }

/**
 * Enqueues due deliveries without a live job again. Also makes the queue fetch at the moment when a
 * retry is due, whichever courier recorded it, because the queue polls only once a second.
 */
export const startDeliverySweeper = (
  pool: Pool,
  lanes: Lanes,
  nudge: () => void,
): Promise<RepeatedWork> =>
  repeat('delivery sweeper', async () => {
    // Events without receivers are numbered soon, too.
    await numberEvents(pool)
    await erasePreviousSecrets(pool)
    const { rows } = await pool.query<Swept>(
      'select enqueued, blocked, due_in_ms as "dueInMs" from panel.sweep_deliveries()',
    )
    const [swept] = rows
    if (swept === undefined) return
    if (swept.enqueued > 0) log.info('deliveries swept', { enqueued: swept.enqueued })
    lanes.expectBlocked(swept.blocked)
    // Each retry is reported in two turns, so a fetch that was too early is followed by another.
    for (const ms of new Set(swept.dueInMs)) setTimeout(nudge, ms + lateMs).unref()
  })
