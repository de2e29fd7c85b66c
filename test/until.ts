import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until there is something; a test that waits in vain fails by its name. */
export async function until<T>(
  look: () => Promise<T> | T,
  patienceMs = 20_000,
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const seen = await look()
    if (seen) return seen as Exclude<T, false>
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${look}`)
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
