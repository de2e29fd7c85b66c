import type { Observe } from '../../model/server/host.ts'

/** Whether a step is still done after others have failed. */
export type Follows<Step> = (step: Step, failed: ReadonlyMap<string, unknown>) => boolean

// Each step may wait for a program that hangs.
const usualTimeoutMs = 120_000

/**
 * Does steps that converge, one after the other: each may run twice, and whoever is killed in one
 * begins again with the first. Returns what they tell, as warnings.
 *
 * @param follows which steps are still done after one has failed; the first error is thrown at the
 *   end. Without it the first failure ends the list
 * @param patienceMs for so long the list goes on past failures
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
