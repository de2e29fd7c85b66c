import pRetry from 'p-retry'

// Processes are crash-only: one that ends is started again, at once if it had run for a while.

// A process that ends sooner has failed to start and will probably fail again.
const stableMs = 10_000

/**
 * Runs `run` over and over until the signal, and reports each end to `ended`. The wait before the
 * next run grows from 0.1 s to 5 s while the runs are short.
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
  if (Date.now() - startedAt < stableMs) throw new Error(reason)
}
