import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import polka from 'polka'
import { PanelError } from '../errors.ts'
import { log } from '../log.ts'
import type { Authenticate } from './authenticate.ts'
import { handle, send, type Handler } from './handle.ts'
import { json, replyTo, type Reply } from './reply.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** One route under `/api/v1`: everything there needs a token. */
export type Route = { method: (typeof methods)[number]; path: string; handler: Handler }

/** A route for everybody, outside `/api/v1`: it sees no token and no body. */
export type OpenRoute = { path: string; handler: () => Promise<Reply> }

/** All routes behind one server; it does not listen yet. */
export function createApp(
  routes: Route[],
  openRoutes: OpenRoute[],
  authenticate: Authenticate,
): Server {
  const app = polka({ onNoMatch })
  for (const { method, path, handler } of routes)
    app.add(method, path, handle(authenticate, handler))
  for (const { path, handler } of openRoutes) {
    app.add('GET', path, (message, response) => void sendOpen(message, response, handler))
  }

  function onNoMatch(message: IncomingMessage, response: ServerResponse): void {
    const path = (message.url ?? '').split('?', 1)[0] ?? ''
    const allowed = methods.filter(method => app.find(method, path).handlers.length > 0)
    const error =
      allowed.length > 0
        ? new PanelError('method_not_allowed', `${message.method} is not a method of this path`)
        : new PanelError('not_found', 'There is nothing at this path')
    const reply = replyTo(error, {})
    if (allowed.length > 0) reply.headers['allow'] = allowed.join(', ')
    send(message, response, reply)
  }

  const server = createServer(
    {
      // A slow caller holds a connection, nothing else; these end it (units: ms).
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // Longer than the proxies' customary 60 s, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
    app.handler,
  )
  server.on('clientError', refuseBrokenRequest)
  return server
}

async function sendOpen(
  message: IncomingMessage,
  response: ServerResponse,
  handler: OpenRoute['handler'],
): Promise<void> {
  const reply = await handler().catch((error: unknown) => replyTo(error, { path: message.url }))
  send(message, response, reply)
}

// What is not HTTP gets its answer in our shape, and its connection ends.
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: NodeJS.WritableStream): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers are over 16 KiB']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive']
        : ['400 Bad Request', 'The request is not HTTP']
  const body = json(400, { error: reason }).body
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Stops taking requests and lets those under way finish, at most `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeIdleConnections()
  const hurry = setTimeout(() => {
    log.info('requests cut off at shutdown')
    server.closeAllConnections()
  }, graceMs)
  await closed
  clearTimeout(hurry)
}
