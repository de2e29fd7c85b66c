import type { Pool } from '../db.ts'
import type { Observe } from '../model/server/host.ts'
import { reportSteps } from '../model/jobs/running-steps.ts'
import type { Step } from '../model/operations/operations.ts'
import type { InProgress } from './task.ts'
import { toWords } from './undo.ts'

// More steps than any operation has, except those that visit each website.
const maxSteps = 64
// In characters: a list of steps shows why each failed, and the operation's error has details.
const maxErrorLength = 200

export type TimedSteps = {
  /** Finished steps. */
  steps: Step[]
  /** Finished steps, and those in progress with their durations until now. */
  soFar: () => Step[]
  observe: Observe
}

/** Times each step of one start. The steps are written only when the operation ends. */
export function timeSteps(observe: Observe): TimedSteps {
  const steps: Step[] = []
  const inProgress = new Set<{ step: string; at: number }>()
  const began = performance.now()
  const timesOf = (at: number) => ({
    at_ms: rounded(at - began),
    ms: rounded(performance.now() - at),
  })
  return {
    steps,
    soFar: () => [
      ...steps,
      ...[...inProgress].map(({ step, at }) => ({ step, ...timesOf(at), running: true as const })),
    ],
    observe: async (step, work) => {
      const one = { step, at: performance.now() }
      inProgress.add(one)
      let end = {}
      try {
        await observe(step, work)
      } catch (error) {
        end = { failed: true, error: toWords(error, maxErrorLength) }
        throw error
      } finally {
        inProgress.delete(one)
        if (steps.length < maxSteps) steps.push({ step, ...timesOf(one.at), ...end })
      }
    },
  }
}

/** Writes the steps of operations that this process is running, on request. */
export const answerStepRequests =
  (pool: Pool, inProgress: ReadonlyMap<string, InProgress>) =>
  (id: string): void => {
    const running = inProgress.get(id)
    if (running === undefined) return
    const { epoch, soFar } = running
    // Without an answer the caller shows no steps.
    void reportSteps(pool, { id, epoch }, soFar()).catch(() => undefined)
  }

const rounded = (ms: number): number => Math.round(ms * 10) / 10
