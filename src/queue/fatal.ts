import type { Running } from '../process.ts'

// Processes are crash-only: one in an unknown state ends, and its successor continues from the
// rows.

export type Fatal = {
  gaveUp: NonNullable<Running['gaveUp']>
  /** Ends the process. Never returns, because the caller's job must not end as if it were done. */
  giveUp: (reason: string, error: unknown) => Promise<never>
  /** Ends the process at once: it must not continue without its locks. */
  loseLocks: (error: Error) => void
  /**
   * Waits for a step of the start. A statement on a lost connection is never answered: if the
   * process gives up meanwhile, this throws.
   */
  orFatal: <T>(step: Promise<T>) => Promise<T>
}

/**
 * Opens the handling of fatal errors.
 *
 * @param drainMs how long other jobs may continue after the process has given up
 */
export function openFatal(drainMs: number, stopFetching: () => void): Fatal {
  const { promise: gaveUp, resolve } = Promise.withResolvers<Awaited<Fatal['gaveUp']>>()
  const failed = gaveUp.then(({ reason, error }) =>
    Promise.reject<never>(new Error(reason, { cause: error })),
  )
  // After the start, `gaveUp` reports the failure.
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
