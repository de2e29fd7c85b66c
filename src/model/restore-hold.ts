import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'

// A restored server works for its customers, but tells nobody anything and measures nothing: the
// one that was backed up may still be running, and would say it all a second time. An administrator
// releases it.

const lookMs = 1_000

/** Since when this server is a restored one that was not released yet; null where it is none. */
export async function heldSince(db: Db): Promise<Date | null> {
  const { rows } = await db.query<{ since: Date | null }>(
    'select held_since as since from panel.server',
  )
  return rows[0]?.since ?? null
}

export const isHeld = async (db: Db): Promise<boolean> => (await heldSince(db)) !== null

/** Waits until the server may tell others what happens. */
export async function untilReleased(db: Db, signal: AbortSignal): Promise<void> {
  while (await isHeld(db)) await sleep(lookMs, undefined, { signal })
}

/** Releases the server; tells since when it was held, or null where it was not. */
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
