import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, value } from '../db.ts'

// A restored server serves its customers, but sends no webhooks, orders no certificates and
// measures no usage until an administrator releases it: the server that was backed up may still be
// running and do the same.

const lookMs = 1_000

/** Since when this restored server waits for its release; null if it does not. */
export const heldSince = (db: Db) => value<Date | null>(db)`select held_since from panel.server`

export const isHeld = async (db: Db): Promise<boolean> => (await heldSince(db)) !== null

/** Waits until the server is released. */
export async function untilReleased(db: Db, signal: AbortSignal): Promise<void> {
  while (await isHeld(db)) await sleep(lookMs, undefined, { signal })
}

/** Releases the server; returns since when it was held, or null if it was not. */
export async function release(db: Db): Promise<Date | null> {
  const since = await value<Date | undefined>(db)`
    update panel.server s
    set held_since = null
    from panel.server o
    where o.id = s.id and s.held_since is not null
    returning o.held_since`
  return since ?? null
}
