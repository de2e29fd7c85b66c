import type { Server, ServerResponse } from 'node:http'
import { log } from '../log.ts'

/**
 * Stops taking requests and lets those in progress finish, at most `graceMs`. Their connections end
 * with their answers, so that no caller sends the next request into one that is about to end.
 */
export async function closeServer(
  server: Server,
  unanswered: ReadonlySet<ServerResponse>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  for (const response of unanswered) response.shouldKeepAlive = false
  // A connection whose answer had already begun is kept for a next request, which it gets not.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const hurry = setTimeout(() => {
    log.info('requests aborted at shutdown')
    server.closeAllConnections()
  }, graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(hurry)
}
