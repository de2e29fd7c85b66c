import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectByTls, type SecureVersion } from 'node:tls'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { run } from './machine.ts'

// Requests that no polite client sends.

/** Sends these bytes to nginx and returns all that it answers. */
export function speak(bytes: string): Promise<string> {
  const socket = connect(80, '127.0.0.1')
  socket.write(Buffer.from(bytes, 'latin1'))
  return answerOf(socket)
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setTimeout(10_000, () => reject(new Error(`No end of the answer: ${text}`)))
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

/** The status of an answer; 0 where there is none. */
export const statusOf = (answer: string): number =>
  Number(/^HTTP\/[0-9.]+ ([0-9]{3}) /.exec(answer)?.[1] ?? 0)

/** One request with this Host header, path and more lines. */
export const ask = (host: string, path = '/', lines: readonly string[] = []): Promise<string> => {
  const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines]
  return speak(`${head.join('\r\n')}\r\n\r\n`)
}

/** Returns the whole answer to a TLS client that asks for this name, or for none. */
export async function shakeHands(serverName?: string): Promise<string> {
  const name = serverName === undefined ? ['-noservername'] : ['-servername', serverName]
  const { stdout, stderr } = await run(
    'openssl',
    [...['s_client', '-connect', '127.0.0.1:443', '-showcerts', '-ign_eof', ...name]],
    'GET / HTTP/1.0\r\n\r\n',
  )
  return stdout + stderr
}

/** A connection that is kept, on which one request is made after another. */
export async function keepAlive(t: Test, host: string): Promise<(path: string) => Promise<string>> {
  const socket = connect(80, '127.0.0.1')
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  const isWhole = () => {
    const [head = '', body] = text.split('\r\n\r\n')
    const length = /^Content-Length: (\d+)/m.exec(head)?.[1]
    if (body === undefined) return false
    return length === undefined ? text.endsWith('0\r\n\r\n') : body.length >= Number(length)
  }
  return async path => {
    text = ''
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await until(isWhole)
    return text
  }
}

type Secure = { ca: string; version: SecureVersion; session: Buffer | undefined }

/** A request on a TLS connection of its own, which may take up a session. */
export async function secureVisit(host: string, path: string, { ca, version, session }: Secure) {
  const versions = { minVersion: version, maxVersion: version }
  const taken = session === undefined ? {} : { session }
  const socket = connectByTls({ port: 443, servername: host, ca, ...versions, ...taken })
  let begun: Buffer | undefined
  socket.on('session', (one: Buffer) => (begun = one))
  await once(socket, 'secureConnect')
  const isReused = socket.isSessionReused()
  const head = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  let answer = ''
  for await (const part of socket) answer += String(part)
  return { isReused, status: statusOf(answer), session: begun }
}
