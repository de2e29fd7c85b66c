/** Lets operations run side by side, or one of them alone. */
export type ExclusiveLock = <T>(alone: boolean, work: () => Promise<T>) => Promise<T>

/**
 * An operation that was interrupted again and again may be what ends the worker: running it alone
 * keeps the others out of its way, and its way out of theirs. First come, first served.
 */
export function openExclusiveLock(): ExclusiveLock {
  let running: Promise<unknown>[] = []
  let entrance: Promise<unknown> = Promise.resolve()
  return async (alone, work) => {
    const before = entrance
    let open!: () => void
    if (alone) entrance = new Promise<void>(resolve => (open = resolve))
    await before
    if (alone) await Promise.allSettled(running)
    const result = work()
    const settled = result.then(
      () => undefined,
      () => undefined,
    )
    running.push(settled)
    void settled.then(() => {
      running = running.filter(other => other !== settled)
      if (alone) open()
    })
    return result
  }
}
