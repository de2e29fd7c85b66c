import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, oneFirst } from '../../db.ts'

// A restored server serves its customers, but sends no webhooks, orders no certificates and
// measures no usage until an administrator releases it: the server that was backed up may still be
// running and do the same.

const pollMs = 1_000

/** Returns since when this restored server has been waiting for its release; null if it is not. */
export const pausedSince = (db: Db) =>
  oneFirst<Date | null>(db)`select paused_since from panel.server`

export const isRestorePaused = async (db: Db): Promise<boolean> => (await pausedSince(db)) !== null

/** Waits until the server is released. */
export async function untilReleased(db: Db, signal: AbortSignal): Promise<void> {
  while (await isRestorePaused(db)) await sleep(pollMs, undefined, { signal })
}

/** Releases the server; returns since when it was paused, or null if it was not. */
export async function release(db: Db): Promise<Date | null> {
  const since = await oneFirst<Date | undefined>(db)`
    update panel.server s
    set paused_since = null
    from panel.server o
    where o.id = s.id and s.paused_since is not null
    returning o.paused_since`
  return since ?? null
}
