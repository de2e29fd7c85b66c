import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'

// A restored server serves its customers, but sends no webhooks, orders no certificates and
// measures no usage until an administrator releases it: the server that was backed up may still be
// running and do the same.

const lookMs = 1_000

/** Since when this restored server waits for its release; null if it does not. */
export async function heldSince(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ since: Date | null }>(
    'select held_since as since from panel.server',
  )
  return rows[0]?.since ?? null
}

export const isHeld = async (db: Db): Promise<boolean> => (await heldSince(db)) !== null

/** Waits until the server is released. */
export async function untilReleased(db: Db, signal: AbortSignal): Promise<void> {
  while (await isHeld(db)) await sleep(lookMs, undefined, { signal })
}

/** Releases the server; returns since when it was held, or null if it was not. */
export async function release(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ since: Date }>(
    `update panel.server s
     set held_since = null
     from panel.server o
     where o.id = s.id and s.held_since is not null
     returning o.held_since as since`,
  )
  return rows[0]?.since ?? null
}
