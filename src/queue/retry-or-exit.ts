import pRetry from 'p-retry'
import { log } from '../log.ts'
import type { Context } from './task.ts'

/**
 * Records the outcome of an operation or a delivery. After an error the outcome is unknown: the
 * statement is sent again, and its guard (epoch and state) detects whether the first one took
 * effect. If that fails too the process ends, and the next one continues from the row.
 */
export async function retryOrExit<T>(
  context: Pick<Context, 'giveUp'>,
  id: string,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await pRetry(write, {
      // As long as a restart of the database takes; longer would keep the caller waiting.
      retries: 4,
      minTimeout: 100,
      factor: 3,
      shouldRetry: () => true,
      onFailedAttempt: ({ error }) => log.error('a record may be lost', error, { id }),
    })
  } catch (error) {
    return context.giveUp('something cannot be recorded', error)
  }
}
