import pRetry from 'p-retry'

// Workers are crash-only: whatever ends is started again, at once where it had been well.

// Long enough for a process to have started; one that ends sooner is the one that keeps failing.
const settledMs = 10_000

/**
 * Runs `run` over and over until the signal. Whenever it ends, however it ends, `ended` is told
 * why; the wait before the next run grows from 0.1 s to 5 s while the runs are short.
 */
export async function keepRunning(
  run: () => Promise<string>,
  signal: AbortSignal,
  ended: (reason: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    await pRetry(() => runOnce(run, signal, ended), {
      retries: Infinity,
      minTimeout: 100,
      factor: 2,
      maxTimeout: 5_000,
      signal,
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

async function runOnce(
  run: () => Promise<string>,
  signal: AbortSignal,
  ended: (reason: string) => void,
): Promise<void> {
  const startedAt = Date.now()
  const reason = await run().catch((error: Error) => error.message)
  if (signal.aborted) return
  ended(reason)
  if (Date.now() - startedAt < settledMs) throw new Error(reason)
}
