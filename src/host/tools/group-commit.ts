import { Mutex } from 'async-mutex'
import DataLoader from 'dataloader'

/** Hands over a change and returns when it has been dealt with. */
export type Commit<Change> = ((change: Change) => Promise<string | void>) & {
  /** Says that a change is on its way, until the function that it returns is called. */
  expect(): () => void
}

// For so long after the last that came, others that are on their way are waited for.
const patienceMs = 500

/**
 * Lets callers share one costly act, such as a reload. Each hands over a change and returns when
 * an act that began after its call has dealt with it; what arrives while one runs waits together
 * for the next, which begins when all those have come that are expected. `act` says for each of
 * its changes, in order, what went wrong, or what there is to tell of it, if anything.
 */
export function groupCommit<Change extends {}>(
  act: (changes: Change[]) => Promise<Outcome[]>,
): Commit<Change> {
  const turn = new Mutex()
  let acted: Promise<unknown>
  let expected = 0
  let look: (() => void) | undefined

  const gathered = async () => {
    if (expected === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patienceMs)
    look = () => (expected === 0 ? resolve() : timer.refresh())
    await promise
    clearTimeout(timer)
    look = undefined
  }

  const deal = async (changes: readonly Change[]) => {
    const outcomes = await act([...changes])
    return changes.map((_, index) => outcomes[index])
  }
  const loader = new DataLoader<Change, string | void>(changes => (acted = deal(changes)), {
    cache: false,
    batchScheduleFn: dispatch =>
      void turn.runExclusive(async () => {
        await gathered()
        dispatch()
        await acted.catch(() => undefined)
      }),
  })

  const commit = (change: Change) => {
    const dealtWith = loader.load(change)
    look?.()
    return dealtWith
  }
  const expect = () => {
    expected++
    let isExpected = true
    return () => {
      if (!isExpected) return
      isExpected = false
      expected--
      look?.()
    }
  }
  return Object.assign(commit, { expect })
}

/** The error of a change that failed; for one that is done a sentence about it, or nothing. */
export type Outcome = Error | string | void

/** What was thrown for a change, as its outcome. */
export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
