import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

// A terminal sends Ctrl-C to the whole group, and npm forwards its own: signals within this time of
// the first count as the same one.
const sameWishMs = 500

// Nearly every step of a start ends within it, and can then be stopped in order.
const graceMs = 3_000

/** The user's requests to stop, while the panel runs. */
export type StopSignals = {
  /** Aborted by the first SIGTERM, Ctrl-C or hang-up. */
  stop: AbortSignal
  /** Aborted by the second. */
  hurry: AbortSignal
}

/** Listens for signals until it is disposed of. */
export function listenForStop(): StopSignals & Disposable {
  const stop = new AbortController()
  const hurry = new AbortController()
  let askedAt = 0
  const ask = () => {
    if (!stop.signal.aborted) {
      askedAt = Date.now()
      stop.abort()
    } else if (Date.now() - askedAt > sameWishMs) hurry.abort()
  }
  const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const name of names) process.on(name, ask)
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    [Symbol.dispose]: () => names.forEach(name => process.off(name, ask)),
  }
}

/**
 * Waits for a step of the start. When the user wants to stop, the step gets a short time and is
 * then abandoned: it ends with this process, and the next start repeats it.
 */
export async function unlessStopped<T>(step: Promise<T>, stop: AbortSignal): Promise<T> {
  const done = new AbortController()
  const abandoned = aborted(stop).then(async () => {
    await sleep(graceMs, undefined, { signal: done.signal }).catch(() => undefined)
    throw stop.reason
  })
  try {
    return await Promise.race([step, abandoned])
  } finally {
    done.abort()
  }
}

/** Resolves once the signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
