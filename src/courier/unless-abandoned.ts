import { once } from 'node:events'
import type { Courier } from './task.ts'

/**
 * An authority may take any time, and no stop waits for it: the work is left, with undefined, and
 * another courier begins it again.
 */
export async function unlessAbandoned<T>(
  { abandoned }: Pick<Courier, 'abandoned'>,
  work: Promise<T>,
): Promise<T | undefined> {
  if (abandoned.aborted) return undefined
  const over = new AbortController()
  const left = once(abandoned, 'abort', { signal: over.signal }).then(
    () => undefined,
    () => undefined,
  )
  try {
    return await Promise.race([work, left])
  } finally {
    over.abort()
  }
}
