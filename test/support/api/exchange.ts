import { connect } from 'node:net'
import type { Answer } from '../panel.ts'

// A request sent byte for byte, and its answer.

/** A request that no client completes or corrects. */
export type Sent = {
  method: string
  path: string
  /** Sent unchanged: a name may come twice, a value may hold any Latin-1 character. */
  headers?: Header[]
  /** A string is sent unchanged. */
  body?: unknown
  /** Sent after the headers in place of a body; the headers have to give the length. */
  bytes?: string
}

export type Header = readonly [name: string, value: string]

/** Sends bytes on a connection of their own and reads what comes until it ends. */
export function exchange(
  baseUrl: string,
  bytes: Buffer,
  after: 'wait' | 'end' = 'wait',
): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => {
      if (after === 'end') socket.end(bytes)
      else socket.write(bytes)
    })
    socket.setTimeout(10_000, () => socket.destroy(new Error('No answer within 10 s')))
    // A server that has answered may end the connection before it has read everything.
    socket.on('error', error => (chunks.length > 0 ? undefined : reject(error)))
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('close', () => resolve(toAnswer(Buffer.concat(chunks))))
  })
}

// An answer that is no HTTP has the status NaN, and all of it as its text.
function toAnswer(bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n')
  const headers = new Headers()
  for (const line of lines) headers.append(...(line.split(/: ?(.*)/, 2) as [string, string]))
  const text = bytes.toString('utf8', end < 0 ? 0 : end + 4)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: Number(first.split(' ')[1]), headers, text, body }
}

/** The request as bytes; it closes the connection. */
export function toBytes({ method, path, headers = [], body, bytes }: Sent): Buffer {
  const content = toContent(bytes ?? body)
  const lines = [
    ['Host', 'panel.test'],
    ['Connection', 'close'],
    ...headers,
    ...(body === undefined ? [] : [['Content-Length', content.length]]),
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    content,
  ])
}

function toContent(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  if (body === undefined) return Buffer.alloc(0)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
