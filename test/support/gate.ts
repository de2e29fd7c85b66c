import type { Observe } from '../../src/model/server/host.ts'
import { barrier } from './until.ts'

/**
 * A gate before every step on the machine, open at first.
 *
 * @param fails whether a step that has passed fails
 */
export function openGate(fails: (step: string) => boolean = () => false) {
  let held: ReturnType<typeof barrier> | undefined
  const observe: Observe = async (step, work) => {
    await held?.pass()
    if (fails(step)) throw new Error('staged')
    await work()
  }
  return {
    observe,
    close: () => void (held = barrier()),
    /** Resolves once a step waits at the closed gate. */
    reached: () => held!.stopped,
    /** Lets all that wait pass, and what comes later. */
    open() {
      held?.open()
      held = undefined
    },
  }
}
