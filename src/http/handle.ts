import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { PanelError } from '../errors.ts'
import { RateLimited, type Authenticate } from './authenticate.ts'
import { replyTo, type Reply } from './reply.ts'
import { readBody, type ApiRequest } from './request.ts'

/** Answers one route under `/api/v1`; refuses by throwing a PanelError. */
export type Handler = (request: ApiRequest) => Promise<Reply>

/** What Polka passes on: it has matched the route, and decodes nothing. */
export type RoutedMessage = IncomingMessage & {
  params: Record<string, string>
  originalUrl?: string
}

/**
 * Polka does not wait for its handlers and takes `err.code` for a status: every handler lives in
 * here, and this is the only place that answers errors.
 */
export const handle =
  (authenticate: Authenticate, handler: Handler) =>
  (message: RoutedMessage, response: ServerResponse): void => {
    const id = randomUUID()
    let rateHeaders: OutgoingHttpHeaders = {}
    const answer = async (): Promise<Reply> => {
      const { caller, token, ...rate } = await authenticate(message)
      rateHeaders = rate.rateHeaders
      return handler({
        id,
        method: message.method ?? '',
        target: message.url ?? '',
        params: decodeAll(message.params),
        headers: message.headersDistinct,
        rawBody: await readBody(message),
        caller,
        token,
      })
    }
    answer()
      .catch((error: unknown) => {
        if (error instanceof RateLimited) rateHeaders = error.rateHeaders
        return replyTo(error, { request: id, method: message.method, path: pathOf(message) })
      })
      .then(reply =>
        send(message, response, {
          ...reply,
          headers: { ...reply.headers, ...rateHeaders, 'x-request-id': id },
        }),
      )
      .catch(() => response.destroy())
  }

/** Sends a reply; a request that was not read to its end ends its connection too. */
export function send(message: IncomingMessage, response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return
  response.writeHead(reply.status, {
    ...reply.headers,
    'content-length': reply.body.length,
    'cache-control': 'no-store',
    ...(message.complete || message.readableEnded ? {} : { connection: 'close' }),
  })
  response.end(reply.body)
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
