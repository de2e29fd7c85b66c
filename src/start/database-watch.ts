import { setTimeout as sleep } from 'node:timers/promises'
import { connection, openClient } from '../db.ts'

const attempts = 3

/**
 * Calls `onSilent` once when no login to PostgreSQL has worked for this time, until the signal. A
 * refusal also counts as an answer: PostgreSQL may be recovering, or out of connections.
 *
 * Attempts are counted instead of time: this process may itself have been stopped.
 */
export async function watchDatabase(
  url: string,
  limitMs: number,
  signal: AbortSignal,
  onSilent: () => void,
): Promise<void> {
  const pauseMs = limitMs / attempts / 2
  for (let left = attempts; left > 0; left = (await answers(url, pauseMs)) ? attempts : left - 1) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
  }
  if (!signal.aborted) onSilent()
}

// A new connection each time: an open one says nothing about the server behind it.
async function answers(url: string, limitMs: number): Promise<boolean> {
  const settings = connection(url, 'panel_owner', null)
  const client = openClient({ ...settings, connectionTimeoutMillis: limitMs })
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof Error && 'severity' in error
  } finally {
    void client.end().catch(() => undefined)
  }
}
