import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until a condition holds; a test that waits in vain fails by its name. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${condition}`)
    await sleep(10)
  }
}

/** A place where work can be held up: `stopped` once somebody waits there, `open` lets all pass. */
export function barrier() {
  const arrived = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return {
    pass: () => {
      arrived.resolve()
      return opened.promise
    },
    stopped: arrived.promise,
    open: () => opened.resolve(),
  }
}
