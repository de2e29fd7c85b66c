import type { Server, ServerResponse } from 'node:http'
import { log } from '../log.ts'

/**
 * Stops accepting requests and lets those in progress finish, for at most `graceMs`. Their
 * connections end with their answers, so that no caller sends another request into an ending one.
 */
export async function closeServer(
  server: Server,
  unanswered: ReadonlySet<ServerResponse>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  for (const response of unanswered) response.shouldKeepAlive = false
  // A connection that is mid-response stays in keep-alive, but its next request is refused.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const hurry = setTimeout(() => {
    log.info('requests aborted at shutdown')
    server.closeAllConnections()
  }, graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(hurry)
}
