import type { Pool } from '../db.ts'
import type { Observe } from '../model/host.ts'
import { tellSteps } from '../model/running-steps.ts'
import type { Step } from '../model/operations.ts'
import type { Locks } from './locks.ts'

// More than any operation has that does not go from website to website.
const stepsAtMost = 64

export type TimedSteps = {
  /** Those that have ended. */
  steps: Step[]
  /** And those under way, with their times until now. */
  soFar: () => Step[]
  observe: Observe
}

/** Times each step of one start. They are written with its end: nothing is written on the way. */
export function timeSteps(observe: Observe): TimedSteps {
  const steps: Step[] = []
  const underWay = new Set<{ step: string; at: number }>()
  const began = performance.now()
  const timesOf = (at: number) => ({
    at_ms: rounded(at - began),
    ms: rounded(performance.now() - at),
  })
  return {
    steps,
    soFar: () => [
      ...steps,
      ...[...underWay].map(({ step, at }) => ({ step, ...timesOf(at), running: true as const })),
    ],
    observe: async (step, work) => {
      const one = { step, at: performance.now() }
      underWay.add(one)
      let isDone = false
      try {
        await observe(step, work)
        isDone = true
      } finally {
        underWay.delete(one)
        const end = isDone ? {} : { failed: true as const }
        if (steps.length < stepsAtMost) steps.push({ step, ...timesOf(one.at), ...end })
      }
    },
  }
}

/** Tells whoever asks how far the operations are that this process is at. */
export const tellWhoAsks = (
  { listen }: Locks,
  pool: Pool,
  underWay: ReadonlyMap<string, () => Step[]>,
): Promise<void> =>
  listen('steps_asked', id => {
    const soFar = underWay.get(id)
    // Who is not answered shows none.
    if (soFar !== undefined) void tellSteps(pool, id, soFar()).catch(() => undefined)
  })

const rounded = (ms: number): number => Math.round(ms * 10) / 10
