import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PanelError } from '../errors.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Reply, replyTo } from './reply.ts'

// What one connection sends is done and answered in turn. Node by itself begins what was sent
// ahead at once, which is right for reads only (RFC 9112, section 9.3.2), and reports what is not
// HTTP before it has sent the answers that are due.

// How long an ended connection stays, so that its caller reads the answer, whatever it sends.
const lingerMs = 1_000

// Requests of one connection that may wait for their turn; it ends with the last one's answer where
// there are more, which have to be sent again on another.
const maxAhead = 32

// With so many that wait or are left out it ends at once: each takes some memory.
const maxKept = 256

type Turn = { message: IncomingMessage; response: ServerResponse; before: Turn | undefined }

type Line = { last: Turn | undefined; ahead: number; isEnding: boolean }

const lines = new WeakMap<Duplex, Line>()

/** Begins each request of a connection when the one before it has been answered. */
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
    // The answer before may have been the connection's last.
    if (message.socket.writable) begin()
  })
}

/** Ends a connection with an answer that no request can be made of, after those that are due. */
export function endWith(socket: Duplex, error: PanelError, more: Reply['headers'] = {}): void {
  const line = lineOf(socket)
  // Whatever comes after what is not HTTP is none either.
  if (line.isEnding) return
  line.isEnding = true
  // What is broken is a request of its own, or the body of the last one, which then gets this
  // answer, unless it has one already and is ending anyway.
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

/** Why it is unclear what a request is for or where it ends, although Node takes it for one. */
export function whyUnclear({ headersDistinct, httpVersion }: IncomingMessage): string | undefined {
  const { host = [], 'transfer-encoding': codings = [] } = headersDistinct
  // HTTP/1.0 knows neither (RFC 9112, sections 3.2 and 6.1).
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
