/**
 * Lets callers share one costly act, such as a reload. Each hands over a change and returns when
 * an act that began after its call has dealt with it; what arrives while one runs waits together
 * for the next. `act` says for each of its changes, in order, what went wrong, or what there is to
 * tell of it, if anything.
 */
export function groupCommit<Change>(
  act: (changes: Change[]) => Promise<Outcome[]>,
): (change: Change) => Promise<string | void> {
  let waiting: Waiting<Change>[] = []
  let isRunning = false

  const actUntilNoneWaits = async () => {
    isRunning = true
    // Who calls in the same breath comes along.
    await undefined
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      await settle(group, act)
    }
    isRunning = false
  }

  return change =>
    new Promise((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      if (!isRunning) void actUntilNoneWaits()
    })
}

/** The error of a change that failed; for one that is done a sentence about it, or nothing. */
export type Outcome = Error | string | void

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
