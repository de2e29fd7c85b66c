import type { Observe } from '../model/host.ts'
import type { Step } from '../model/operations.ts'

// More than any operation has that does not go from website to website.
const stepsAtMost = 64

/** Times each step of one start. They are written with its end: nothing is written on the way. */
export function timeSteps(observe: Observe): { steps: Step[]; observe: Observe } {
  const steps: Step[] = []
  const began = performance.now()
  return {
    steps,
    observe: async (step, work) => {
      const at = performance.now()
      let isDone = false
      try {
        await observe(step, work)
        isDone = true
      } finally {
        const times = { at_ms: rounded(at - began), ms: rounded(performance.now() - at) }
        const end = isDone ? {} : { failed: true as const }
        if (steps.length < stepsAtMost) steps.push({ step, ...times, ...end })
      }
    },
  }
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10
