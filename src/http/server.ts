import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import polka from 'polka'
import { PanelError } from '../errors.ts'
import type { Authenticate } from './authenticate.ts'
import type { Proxies } from './caller-address.ts'
import { endWith, inTurn, whyUnclear } from './connection.ts'
import { limitConnections } from './connection-limits.ts'
import type { Answered } from './instruments.ts'
import type { Licensing } from './licensing.ts'
import { handle, send, type Handler, type RoutedMessage } from './handle.ts'
import type { Permission } from '../model/signing-in/tokens.ts'
import { isTakingLong } from './long-requests.ts'
import { createServer } from './node-http.ts'
import { replyTo, type Reply } from './reply.ts'
import { closeServer } from './stopping.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A method that a route can have. HEAD is handled like GET, without the body. */
type Method = Exclude<(typeof methods)[number], 'HEAD'>

/** One route under `/api/v1`, where every route needs a token. */
export type Route = {
  method: Method
  path: string
  /** The permissions of which a token needs one. */
  permissions: readonly Permission[]
  handler: Handler
}

/** A public route, outside `/api/v1`: API tokens are not checked, and no body is read. */
export type OpenRoute = {
  path: string
  /** GET, if left out. */
  methods?: readonly Method[]
  handler: (request: OpenRequest) => Promise<Reply>
}

/** Renders an error as a page, if a browser requests an unknown address. */
export type PageOf = (error: PanelError, message: IncomingMessage) => Promise<Reply>

export type OpenRequest = {
  method: string
  /** Parts of the path as they were sent, not decoded. */
  params: Record<string, string>
  message: IncomingMessage
}

type Middleware = (message: RoutedMessage, response: ServerResponse) => void

/** A server that does not listen yet, and a function that closes it. */
export type App = { server: Server; close: (graceMs: number) => Promise<void> }

// A connection without traffic for this long ends, even if its caller does not read the answer.
// Longer than the longest wait for work.
const silenceMs = 90_000

// Returns whether a path has an empty segment, which the router would match as an empty name.
const hasEmptySegment = (target = ''): boolean => target.split('?', 1)[0]!.includes('//')

// A base URL that callers ended with a slash, or joined with one. Elsewhere a doubled slash is an
// empty name: `/accounts//usage` would be another account's.
const doubledBase = /^\/+api\/+v1\/+(?=[^/])/

/** Creates one server for all routes. */
export function createApp(
  routes: Route[],
  openRoutes: OpenRoute[],
  authenticate: Authenticate,
  licensing: Licensing,
  proxies: Proxies = { isSocket: false, trusted: [] },
  /** Renders the page for unknown paths outside `/api/`. */
  pageOf?: PageOf,
  /** Called for each answer. */
  note?: (answered: Answered) => void,
): App {
  const app = polka({ onNoMatch })
  const routeOf = new WeakMap<ServerResponse, string>()
  const add = (method: Method, path: string, answer: Middleware) => {
    const noted: Middleware = (message, response) => {
      routeOf.set(response, path)
      answer(message, response)
    }
    for (const each of method === 'GET' ? (['GET', 'HEAD'] as const) : [method]) {
      app.add(each, path, note === undefined ? answer : noted)
    }
  }
  for (const { method, path, permissions, handler } of routes)
    add(method, path, handle(authenticate, permissions, licensing, handler))
  for (const route of openRoutes) {
    for (const method of route.methods ?? ['GET']) {
      add(method, route.path, (message, response) => void sendOpen(message, response, route))
    }
  }

  function onNoMatch(message: IncomingMessage, response: ServerResponse): void {
    const path = (message.url ?? '').split('?', 1)[0] ?? ''
    const isPath = !hasEmptySegment(path)
    const allowed = methods.filter(method => isPath && app.find(method, path) !== false)
    const error =
      allowed.length > 0
        ? new PanelError('method_not_allowed', `${message.method} is not supported at this path`)
        : new PanelError('not_found', 'There is nothing at this path')
    const isPage = !path.startsWith('/api/') && /\btext\/html\b/.test(message.headers.accept ?? '')
    const answer = (reply: Reply) => {
      reply.headers['x-request-id'] = randomUUID()
      if (allowed.length > 0) reply.headers['allow'] = allowed.join(', ')
      send(message, response, reply)
    }
    if (isPage && pageOf !== undefined) void pageOf(error, message).then(answer)
    else answer(replyTo(error, {}))
  }

  function begin(message: IncomingMessage, response: ServerResponse): void {
    // A target may include the server (RFC 9112, section 3.2.2); there is only one here.
    message.url = message.url?.replace(/^https?:\/\/[^/?]+/i, '')
    message.url = message.url?.replace(doubledBase, '/api/v1/')
    // No Upgrade is followed. After one, Node stops parsing the connection until it times out.
    if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
    const reason = whyUnclear(message)
    if (reason === undefined && hasEmptySegment(message.url)) onNoMatch(message, response)
    else if (reason === undefined) app.handler(message, response)
    else refuse(message, response, new PanelError('invalid', reason))
  }

  function noteAnswer(message: IncomingMessage, response: ServerResponse): void {
    const began = performance.now()
    response.once('close', () => {
      const { method = '' } = message
      note?.({
        method: methods.some(known => known === method) ? method : 'other',
        route: routeOf.get(response) ?? 'none',
        status: response.statusCode,
        seconds: (performance.now() - began) / 1_000,
      })
    })
  }

  const unanswered = new Set<ServerResponse>()
  const server = createServer(
    {
      // These end slow callers, which only hold a connection (units: ms).
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      // The interval at which both timeouts are checked; Node's default of 30 s would double them.
      connectionsCheckingInterval: 5_000,
      // Longer than the customary 60 s of proxies, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      // Links never use the Host header; with `true`, Node answers 400 without a body.
      requireHostHeader: false,
    },
    (message, response) => {
      unanswered.add(response.once('close', () => unanswered.delete(response)))
      if (note !== undefined) noteAnswer(message, response)
      inTurn(message, response, () => {
        if (!server.listening) refuse(message, response, restarting)
        else if (noteRequest(message, response)) begin(message, response)
        else refuse(message, response, tooMany)
      })
    },
  )
  server.timeout = silenceMs
  const noteRequest = limitConnections(server, proxies)
  server.on('clientError', refuseBrokenRequest)
  // Without these two, Node answers an unknown expectation with an empty body, and CONNECT not at
  // all.
  server.on('checkExpectation', (message, response) => {
    refuse(message, response, new PanelError('expectation_unknown', 'Unsupported Expect header'))
  })
  server.on('connect', (_message, socket) => {
    const error = new PanelError('method_not_allowed', 'CONNECT is not supported')
    endWith(socket, error, { allow: methods.join(', ') })
  })
  return { server, close: graceMs => closeServer(server, unanswered, graceMs) }
}

// The server is closed: only a connection that was busy then can still send a request.
const restarting = new PanelError('unavailable', 'The panel is restarting; try again shortly')
const tooMany = new PanelError('rate_limited', 'Too many simultaneous requests from this address')

function refuse(message: IncomingMessage, response: ServerResponse, error: PanelError): void {
  const reply = replyTo(error, {})
  reply.headers['x-request-id'] = randomUUID()
  response.shouldKeepAlive = false
  send(message, response, reply)
}

async function sendOpen(
  message: RoutedMessage,
  response: ServerResponse,
  { path, handler }: OpenRoute,
): Promise<void> {
  const { method = '', params } = message
  const reply = await handler({ method, params, message }).catch((error: unknown) =>
    // Logs the route instead of the path, because a path may contain a secret.
    replyTo(error, { method, path }),
  )
  reply.headers['x-request-id'] = randomUUID()
  send(message, response, reply)
}

// Answers invalid HTTP in the API's error format, and ends the connection.
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET') return
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isTakingLong(socket)) return
  endWith(
    socket,
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new PanelError('headers_too_large', 'The headers exceed 16 KiB, or there are too many')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new PanelError('too_slow', 'The request took too long to arrive')
        : new PanelError('invalid', 'The request is not valid HTTP'),
  )
}
