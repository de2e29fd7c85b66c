import { watchDatabase } from './database-watch.ts'
import { startPostgres } from './embedded-postgres.ts'
import { keepRunning } from './keep-running.ts'
import { defaultSilentMs } from './supervise.ts'

/** The embedded database of a running panel, started again whenever it ends. */
export type Database = {
  url: string
  stop(): Promise<void>
  /** Ends it at once; the next start recovers from the write-ahead log. */
  kill(): void
}

/**
 * Starts the embedded PostgreSQL and keeps it running until it is stopped: one that ends is started
 * again, and one that admits no connection for `silentMs` is killed.
 */
export async function runDatabase(
  stateDir: string,
  report: (sentence: string) => void,
  silentMs = defaultSilentMs,
): Promise<Database> {
  const stopping = new AbortController()
  let server = await startPostgres({ stateDir, durable: true })
  let isFirst = true
  let closing: Promise<void> | undefined

  const run = async () => {
    if (!isFirst) server = await startPostgres({ stateDir, durable: true })
    isFirst = false
    // The stop came while it was starting.
    if (stopping.signal.aborted) await server.stop()
    const stop = () => {
      closing = server.stop()
    }
    stopping.signal.addEventListener('abort', stop, { once: true })
    let silence = ''
    const over = new AbortController()
    void watchDatabase(server.url, silentMs, over.signal, () => {
      silence = `PostgreSQL accepted no connection for ${silentMs / 1_000} s;  `
      server.kill()
    })
    const reason = await server.ended
    over.abort()
    stopping.signal.removeEventListener('abort', stop)
    return silence + reason
  }
  const stopped = keepRunning(run, stopping.signal, reason =>
    report(`${reason}; starting it again`),
  )

  return {
    url: server.url,
    async stop() {
      stopping.abort()
      await stopped
      // The server ends a moment before its socket's folder is removed.
      await closing
    },
    kill() {
      stopping.abort()
      void server.stop(true)
    },
  }
}
