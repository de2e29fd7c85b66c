import { setTimeout as sleep } from 'node:timers/promises'

/** Polls until there is a result; a test that waits in vain fails by name. */
export async function until<T>(
  look: () => Promise<T> | T,
  timeoutMs = 60_000,
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (seen) return seen as Exclude<T, false>
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${look}`)
    await sleep(10)
  }
}

/** A point that holds work up: `stopped` resolves once some waits, `open` lets all pass. */
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
