import { batched } from '../../batched.ts'

/** Submits a change and returns when it has been handled. */
export type Commit<Change> = (change: Change) => Promise<string | void>

/**
 * Lets callers share one costly act, such as a wait for the disk. Each submits a change and returns
 * when an act that began after its call has handled it; changes that arrive while one runs wait
 * together for the next. `act` returns for each of its changes, in order, an error, a sentence
 * about it, or nothing.
 */
export function groupCommit<Change extends {}>(
  act: (changes: Change[]) => Promise<Outcome[]>,
): Commit<Change> {
  return batched(async (changes: Change[]): Promise<Outcome[]> => {
    const outcomes = await act(changes)
    return changes.map((_, index) => outcomes[index])
  }, Infinity)
}

/** The error of a failed change; for a successful one a sentence about it, or nothing. */
export type Outcome = Error | string | void

/** Returns what was thrown for a change, as its outcome. */
export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
