import { Semaphore } from 'async-mutex'

/** Runs operations in parallel, or one of them alone. */
export type ExclusiveLock = <T>(alone: boolean, work: () => Promise<T>) => Promise<T>

/**
 * Opens the lock. An operation that was interrupted repeatedly may be what ends the worker: running
 * it alone protects the others from it, and it from them. First come, first served.
 *
 * @param places how many may run in parallel
 */
export function openExclusiveLock(places: number): ExclusiveLock {
  const free = new Semaphore(places)
  return (alone, work) => free.runExclusive(work, alone ? places : 1)
}
