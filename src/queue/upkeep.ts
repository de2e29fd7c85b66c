import type { Pool } from '../db.ts'
import { log } from '../log.ts'

// What keeps the queue whole without hands, at start and then every 2 s.

const intervalMs = 2_000

export type Upkeep = { stop: () => Promise<void> }

/** Frees the jobs of pools whose process is gone. */
export const startReaper = (pool: Pool, queue: string): Promise<Upkeep> =>
  repeat('reaper', async () => {
    const { rows } = await pool.query<{ freed: number }>('select panel.reap($1) as freed', [queue])
    const freed = rows[0]?.freed ?? 0
    if (freed > 0) log.info('jobs of dead workers freed', { queue, workers: freed })
  })

/** Enqueues again what is due and has no live job, promotes what is parked behind nothing. */
export const startSweeper = (pool: Pool): Promise<Upkeep> =>
  repeat('sweeper', async () => {
    const { rows } = await pool.query<{ enqueued: number; promoted: number }>(
      'select enqueued, promoted from panel.sweep()',
    )
    const [swept] = rows
    if (swept && swept.enqueued + swept.promoted > 0) log.info('work swept', swept)
  })

/** Does some upkeep now and from then on every 2 s; what fails is left to the next turn. */
export async function repeat(name: string, work: () => Promise<void>): Promise<Upkeep> {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const once = async () => {
    // A database that is away is the others' news; the next turn may find it back.
    await work().catch(error => log.error('upkeep failed', error, { name }))
    if (!isOver) timer = setTimeout(() => (running = once()), intervalMs)
  }
  await (running = once())
  return {
    stop: async () => {
      isOver = true
      clearTimeout(timer)
      await running
    },
  }
}
