import { Semaphore } from 'async-mutex'

/** Lets operations run side by side, or one of them alone. */
export type ExclusiveLock = <T>(alone: boolean, work: () => Promise<T>) => Promise<T>

/**
 * An operation that was interrupted again and again may be what ends the worker: running it alone
 * keeps the others out of its way, and its way out of theirs. First come, first served.
 *
 * @param places how many may run side by side
 */
export function openExclusiveLock(places: number): ExclusiveLock {
  const free = new Semaphore(places)
  return (alone, work) => free.runExclusive(work, alone ? places : 1)
}
