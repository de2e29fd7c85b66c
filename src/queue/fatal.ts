import type { Running } from '../process.ts'

// Crash-only (architecture, A killed worker is succeeded at once): whatever makes a process doubt
// what it may do ends it, and its successor goes on from what the rows say.

export type Fatal = {
  gaveUp: NonNullable<Running['gaveUp']>
  /** Ends the process; never returns to the caller, whose job must not end as if it were done. */
  giveUp: (reason: string, error: unknown) => Promise<never>
  /** Without its locks a process may not go on for a moment. */
  loseLocks: (error: Error) => void
  /**
   * Waits for a step of the start. What waits for a statement on a lost connection is never
   * answered: the doubt ends it, and is thrown.
   */
  orFatal: <T>(step: Promise<T>) => Promise<T>
}

/**
 * @param drainMs how long other jobs may go on in a process that gives up
 * @param stopFetching called as soon as it does
 */
export function openFatal(drainMs: number, stopFetching: () => void): Fatal {
  const { promise: gaveUp, resolve } = Promise.withResolvers<Awaited<Fatal['gaveUp']>>()
  const failed = gaveUp.then(({ reason, error }) =>
    Promise.reject<never>(new Error(reason, { cause: error })),
  )
  // A process that has started hears of it by `gaveUp`.
  failed.catch(() => undefined)
  return {
    gaveUp,
    giveUp: (reason, error) => {
      resolve({ reason, error, drainMs })
      stopFetching()
      return new Promise<never>(() => undefined)
    },
    loseLocks: error => resolve({ reason: 'locks lost', error, drainMs: 0 }),
    orFatal: step => Promise.race([step, failed]),
  }
}
