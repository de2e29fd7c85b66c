import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { PanelError } from '../errors.ts'
import { log } from '../log.ts'
import type { Permission } from '../model/signing-in/tokens.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { TokenRefused, type Authenticate } from './authenticate.ts'
import type { Licensing } from './licensing.ts'
import { replyTo, type Reply } from './reply.ts'
import { hasBody, readBody, type ApiRequest } from './request.ts'

/** Answers one route under `/api/v1`; refuses by throwing a PanelError. */
export type Handler = (request: ApiRequest) => Promise<Reply>

/** A message as Polka passes it on: it has matched the route, and decodes nothing. */
export type RoutedMessage = IncomingMessage & {
  params: Record<string, string>
  originalUrl?: string
}

/**
 * Wraps every handler, because Polka does not wait for handlers and reads `err.code` as a status.
 * This is the only place that answers errors.
 */
export const handle =
  (
    authenticate: Authenticate,
    permissions: readonly Permission[],
    licensing: Licensing,
    handler: Handler,
  ) =>
  (message: RoutedMessage, response: ServerResponse): void => {
    const id = randomUUID()
    const arrivedAt = performance.now()
    let rateHeaders: OutgoingHttpHeaders = {}
    const answer = async (): Promise<Reply> => {
      const { caller, token, ...rate } = await authenticate(message, permissions)
      rateHeaders = rate.rateHeaders
      licensing.require()
      return handler({
        id,
        method: message.method ?? '',
        target: message.url ?? '',
        // Decoded during validation, so that a broken encoding is recorded like other refusals.
        get params() {
          return decodeAll(message.params)
        },
        query: new URLSearchParams((message.url ?? '').replace(/^[^?]*/, '')),
        headers: message.headersDistinct,
        rawBody: await readBody(message),
        caller,
        keys: keysOf(token),
      })
    }
    answer()
      .catch((error: unknown) => {
        // The caller hung up while sending, so there is nothing to answer or execute.
        if (message.destroyed && !message.complete) throw error
        if (error instanceof TokenRefused) rateHeaders = error.rateHeaders
        return replyTo(error, { request: id, method: message.method, path: pathOf(message) })
      })
      .then(reply => {
        send(message, response, {
          ...reply,
          headers: { ...reply.headers, ...rateHeaders, 'x-request-id': id },
        })
        // Reads are frequent and change nothing; a flood of refused requests must not flood the
        // log. A request without a body may be answered before it is known to be complete.
        const isRead = message.method === 'GET' || message.method === 'HEAD'
        if ((isRead && reply.status < 400) || reply.status === 429) return
        log.info('answered', {
          request: id,
          method: message.method,
          path: pathOf(message),
          status: reply.status,
          ms: Math.round(performance.now() - arrivedAt),
        })
      })
      .catch(() => response.destroy())
  }

// The time for which a caller may continue to send a body that is no longer read.
const lingerMs = 1_000

/** Sends a reply; ends the connection too if the request was not read completely. */
export function send(message: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { file } = reply
  if (response.destroyed) return void file?.stream.destroy()
  // A request without a body may be answered before it is known to be complete.
  const isRead = message.complete || message.readableEnded || !hasBody(message)
  response.writeHead(reply.status, {
    'cache-control': 'no-store',
    ...reply.headers,
    'content-length': file?.bytes ?? reply.body.length,
    ...(isRead ? {} : { connection: 'close' }),
  })
  if (file !== undefined) {
    if (message.method === 'HEAD') {
      file.stream.destroy()
      return void response.end()
    }
    // A caller that hangs up, or a file that cannot be read, ends the connection.
    pipeline(file.stream, response, () => undefined)
    return
  }
  if (isRead) {
    response.end(reply.body)
    return
  }
  // Closing a connection while its caller still sends resets it, which loses the answer (RFC 9112,
  // section 9.6): the rest is read and discarded for a moment.
  response.write(reply.body)
  const end = () => response.end()
  const timer = setTimeout(end, lingerMs).unref()
  message
    .resume()
    .once('close', () => clearTimeout(timer))
    .once('end', end)
}

const pathOf = (message: IncomingMessage): string => (message.url ?? '').split('?', 1)[0] ?? ''

function decodeAll(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw new PanelError('invalid', 'The path has a broken percent-encoding')
  }
}
