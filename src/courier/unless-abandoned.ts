import { once } from 'node:events'
import type { Courier } from './task.ts'

/**
 * Runs work that a stop does not wait for, because an authority may take any time: once abandoned
 * it returns undefined, and another courier begins the work again.
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
