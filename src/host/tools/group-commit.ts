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
export function groupCommit<Change>(
  act: (changes: Change[]) => Promise<Outcome[]>,
): Commit<Change> {
  let waiting: Waiting<Change>[] = []
  let isRunning = false
  let expected = 0
  let look: (() => void) | undefined

  const isGathered = () => expected === 0

  const gathered = async () => {
    if (isGathered()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patienceMs)
    look = () => (isGathered() ? resolve() : timer.refresh())
    await promise
    clearTimeout(timer)
    look = undefined
  }

  const actUntilNoneWaits = async () => {
    isRunning = true
    // Who calls in the same breath comes along.
    await undefined
    while (waiting.length > 0) {
      await gathered()
      const group = waiting
      waiting = []
      await settle(group, act)
    }
    isRunning = false
  }

  const commit = (change: Change) =>
    new Promise<string | void>((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      look?.()
      if (!isRunning) void actUntilNoneWaits()
    })
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

async function settle<Change>(
  group: Waiting<Change>[],
  act: (changes: Change[]) => Promise<Outcome[]>,
): Promise<void> {
  try {
    const outcomes = await act(group.map(({ change }) => change))
    group.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    })
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}

type Waiting<Change> = {
  change: Change
  resolve: (said: string | void) => void
  reject: (error: unknown) => void
}
