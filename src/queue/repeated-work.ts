import type { Pool } from '../db.ts'
import { log } from '../log.ts'
import type { Host, ServiceWarnings } from '../model/server/host.ts'
import { byService, type WarningRow } from '../model/accounts/warnings.ts'

// Repairs queue and rows automatically: at the start, and then every 2 s.

const intervalMs = 2_000

export type RepeatedWork = { stop: () => Promise<void> }

/** Frees the jobs of pools whose process has died. */
export const startReaper = (pool: Pool, queue: string): Promise<RepeatedWork> =>
  repeat('reaper', async () => {
    const { rows } = await pool.query<{ freed: number }>('select panel.reap($1) as freed', [queue])
    const freed = rows[0]?.freed ?? 0
    if (freed > 0) log.info('jobs of dead workers freed', { queue, workers: freed })
  })

/** Enqueues due work without a live job again, and promotes work that is blocked behind nothing. */
export const startSweeper = (pool: Pool): Promise<RepeatedWork> =>
  repeat('sweeper', async () => {
    const { rows } = await pool.query<{ enqueued: number; promoted: number }>(
      'select enqueued, promoted from panel.sweep()',
    )
    const [swept] = rows
    if (swept && swept.enqueued + swept.promoted > 0) log.info('work swept', swept)
  })

// With systemd, a check costs two processes of some milliseconds.
const watchMs = 10_000

/** Keeps the accounts' warnings about shared services up to date. */
export const startWatch = (check: () => Promise<void>): Promise<RepeatedWork> =>
  repeat('watch', () => check(), watchMs)

/** Updates the accounts' warnings about the services that they all share. */
export const watch =
  (pool: Pool, host: Host) =>
  async (met: readonly WarningRow[] = []): Promise<void> => {
    const down = await host.checkServices()
    const note = (warnings: ServiceWarnings) =>
      pool.query('select panel.note_services($1)', [warnings])
    // A service may be running again by now: what it missed is applied again.
    const missed = byService(met)
    if (Object.keys(missed).some(part => !(part in down))) await note({ ...missed, ...down })
    await note(down)
  }

/** Runs work now and again after each pause; the next turn repeats a failed one. */
export async function repeat(
  name: string,
  work: () => Promise<void>,
  pauseMs = intervalMs,
): Promise<RepeatedWork> {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const once = async () => {
    // If the database is down, its users report that; the next turn may succeed.
    await work().catch(error => log.error('repeated work failed', error, { name }))
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
