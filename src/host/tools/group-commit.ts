import { batched } from '../../batched.ts'

/** Hands over a change and returns when it has been dealt with. */
export type Commit<Change> = (change: Change) => Promise<string | void>

/**
 * Lets callers share one costly act, such as a wait for the disk. Each hands over a change and
 * returns when an act that began after its call has dealt with it; what arrives while one runs
 * waits together for the next. `act` says for each of its changes, in order, what went wrong, or
 * what there is to tell of it, if anything.
 */
export function groupCommit<Change extends {}>(
  act: (changes: Change[]) => Promise<Outcome[]>,
): Commit<Change> {
  return batched(async (changes: Change[]): Promise<Outcome[]> => {
    const outcomes = await act(changes)
    return changes.map((_, index) => outcomes[index])
  }, Infinity)
}

/** The error of a change that failed; for one that is done a sentence about it, or nothing. */
export type Outcome = Error | string | void

/** What was thrown for a change, as its outcome. */
export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
