import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import type { Host } from '../model/host.ts'

// What keeps the queue, and what the rows say, whole without hands: at start and then every 2 s.

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

// What it costs where systemd has to be asked: two processes of some milliseconds.
const watchMs = 10_000

/** Keeps what the accounts are told of the services that all of them share as it is. */
export const startWatch = (look: () => Promise<void>): Promise<Upkeep> =>
  repeat('watch', look, watchMs)

/** Has what accounts are told of the services that all of them share be what is. */
export const watch = (pool: Pool, host: Host) => async (): Promise<void> => {
  const { websites, sftp } = await host.lookAtServices()
  await pool.query('select panel.note_services($1, $2)', [websites, sftp])
}

/** Does some upkeep now and again after each pause; what fails is left to the next turn. */
export async function repeat(
  name: string,
  work: () => Promise<void>,
  pauseMs = intervalMs,
): Promise<Upkeep> {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const once = async () => {
    // A database that is away is the others' news; the next turn may find it back.
    await work().catch(error => log.error('upkeep failed', error, { name }))
    if (!isOver) timer = setTimeout(() => (running = once()), pauseMs)
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
