import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PanelError } from '../errors.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Reply, replyTo } from './reply.ts'

// Handles the requests of one connection in turn. Node by itself begins pipelined requests at once,
// which is right for reads only (RFC 9112, section 9.3.2), and reports invalid bytes before it has
// sent the answers that are due.

// The time an ended connection lingers, so that its caller can read the answer, whatever it sends.
const lingerMs = 1_000

// Requests of one connection that may wait for their turn; with more, it ends after the last one's
// answer, and the rest have to be sent again on another connection.
const maxAhead = 32

// With this many waiting or dropped requests it ends at once: each takes some memory.
const maxKept = 256

type Turn = { message: IncomingMessage; response: ServerResponse; before: Turn | undefined }

type Line = { last: Turn | undefined; ahead: number; isEnding: boolean }

const lines = new WeakMap<Duplex, Line>()

/** Begins each request of a connection when the previous one has been answered. */
export function inTurn(
  message: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
): void {
  const line = lineOf(message.socket)
  const turn: Turn = { message, response, before: line.last }
  line.ahead++
  response.once('close', () => {
    line.ahead--
    turn.before = undefined
  })
  if (line.ahead > maxAhead) {
    if (line.ahead > maxKept) message.socket.destroy()
    if (line.last !== undefined) line.last.response.shouldKeepAlive = false
    return void message.resume()
  }
  line.last = turn
  after(turn.before, () => {
    // The previous answer may have ended the connection.
    if (message.socket.writable) begin()
  })
}

/** Ends a connection with an answer to bytes that are not a request, after those that are due. */
export function endWith(socket: Duplex, error: PanelError, more: Reply['headers'] = {}): void {
  const line = lineOf(socket)
  // Bytes after an invalid request cannot be parsed as HTTP.
  if (line.isEnding) return
  line.isEnding = true
  // The invalid bytes are a new request, or the body of the last one, which then gets this answer,
  // unless it already has one and is ending anyway.
  const { last } = line
  const isOfLast = last !== undefined && !last.message.complete
  if (isOfLast && last.response.headersSent) return
  after(isOfLast ? last.before : last, () => {
    if (!socket.writable) return
    const { status, headers, body } = replyTo(error, {})
    const lines = Object.entries({
      ...headers,
      ...more,
      'x-request-id': randomUUID(),
      'content-length': body.length,
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
}

/** Returns why the purpose or end of a request is ambiguous, although Node accepts it. */
export function whyUnclear({ headersDistinct, httpVersion }: IncomingMessage): string | undefined {
  const { host = [], 'transfer-encoding': codings = [] } = headersDistinct
  // HTTP/1.0 has neither header (RFC 9112, sections 3.2 and 6.1).
  const isOld = httpVersion === '1.0'
  if (host.length > 1 || (host.length === 0 && !isOld)) return 'Exactly one Host header is required'
  const isKnown = codings.every(coding => coding.toLowerCase() === 'chunked' && !isOld)
  return isKnown ? undefined : 'The only supported Transfer-Encoding is chunked'
}

function lineOf(socket: Duplex): Line {
  const known = lines.get(socket)
  if (known !== undefined) return known
  const line = { last: undefined, ahead: 0, isEnding: false }
  lines.set(socket, line)
  return line
}

function after(turn: Turn | undefined, next: () => void): void {
  if (turn === undefined || turn.response.closed) next()
  else turn.response.once('close', next)
}
