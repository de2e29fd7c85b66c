import type { Observe } from '../../model/server/host.ts'

/** Decides whether a step still runs after others have failed. */
export type Follows<Step> = (step: Step, failed: ReadonlyMap<string, unknown>) => boolean

// Each step may wait for a program that hangs.
const usualTimeoutMs = 120_000

/**
 * Runs converging steps one after another: each may run twice, and after a kill the list begins
 * again with the first. Returns their warnings.
 *
 * @param follows decides which steps still run after one has failed; the first error is thrown at
 * the end. Without it the first failure ends the list
 *
 * @param timeoutMs how long the list continues past failures
 */
export async function follow<Step extends { name: string }, Reported>(
  steps: readonly Step[],
  act: (step: Step) => Promise<Reported | void>,
  observe: Observe,
  follows?: Follows<Step>,
  timeoutMs = usualTimeoutMs,
): Promise<Reported[]> {
  const reported: Reported[] = []
  const failed = new Map<string, unknown>()
  const deadline = performance.now() + timeoutMs
  for (const each of steps) {
    if (failed.size > 0 && !follows?.(each, failed)) continue
    try {
      await observe(each.name, async () => {
        const one = await act(each)
        if (one !== undefined) reported.push(one)
      })
    } catch (error) {
      failed.set(each.name, error)
      if (follows === undefined || performance.now() > deadline) break
    }
  }
  if (failed.size > 0) throw [...failed.values()][0]
  return reported
}
