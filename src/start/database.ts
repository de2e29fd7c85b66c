import { startPostgres } from './embedded-postgres.ts'
import { keepRunning } from './keep-running.ts'

/** The embedded database of a running panel, started again whenever it ends. */
export type Database = {
  url: string
  stop(): Promise<void>
  /** Ends it at once; the next start recovers from the write-ahead log. */
  kill(): void
}

/** Starts the embedded PostgreSQL and keeps it running until it is stopped. */
export async function runDatabase(
  stateDir: string,
  tell: (sentence: string) => void,
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
    return await server.ended.finally(() => stopping.signal.removeEventListener('abort', stop))
  }
  const stopped = keepRunning(run, stopping.signal, reason => tell(`${reason}; starting it again`))

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
