import { Semaphore } from 'async-mutex'

/** Runs operations in parallel, or one of them alone. */
export type ExclusiveLock = <T>(alone: boolean, work: () => Promise<T>) => Promise<T>

/**
 * Opens the lock. An operation that was interrupted repeatedly may be what ends the worker: running
 * it alone protects the others from it, and it from them. First come, first served.
 *
 * @param slots how many may run in parallel
 */
export function openExclusiveLock(slots: number): ExclusiveLock {
  const free = new Semaphore(slots)
  return (alone, work) => free.runExclusive(work, alone ? slots : 1)
}
