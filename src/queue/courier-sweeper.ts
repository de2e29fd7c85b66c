import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import type { Lanes } from './lanes.ts'
import { repeat, type Upkeep } from './upkeep.ts'

// A timer may fire a little before its time on the database's clock.
const lateMs = 3

type Swept = { enqueued: number; parked: string[]; dueInMs: number[] }

/**
 * Enqueues again what is due and has no live job, and has the queue look for a retry at the moment
 * that it is due, whichever courier has recorded it: the queue itself looks once a second.
 */
export const startDeliverySweeper = (
  pool: Pool,
  lanes: Lanes,
  nudge: () => void,
): Promise<Upkeep> =>
  repeat('delivery sweeper', async () => {
    const { rows } = await pool.query<Swept>(
      'select enqueued, parked, due_in_ms as "dueInMs" from panel.sweep_deliveries()',
    )
    const [swept] = rows
    if (swept === undefined) return
    if (swept.enqueued > 0) log.info('deliveries swept', { enqueued: swept.enqueued })
    lanes.expectParked(swept.parked)
    // Each comes up in two turns, so a look that came too early is followed by another.
    for (const ms of new Set(swept.dueInMs)) setTimeout(nudge, ms + lateMs).unref()
  })
