import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls'
import t from 'tap'
import type { Outcome } from '../../src/model/events/outside.ts'
import { limits } from '../../src/outside/limits.ts'
import { openOutside } from '../../src/outside/post.ts'
import { receiverFor } from '../support/receiver.ts'

// Receivers that misbehave: every attempt ends within its limits, with the right outcome.

const short = { totalMs: 400, connectMs: 200, bodyMs: 100, idleMs: 300 }
const outside = openOutside({ allowed: ['127.0.0.0/8'], limits: short })

const post = async (url: string, signal = new AbortController().signal): Promise<Outcome> => {
  const body = Buffer.from('{"event":"account.deleted"}')
  const outcome = await outside.post({ url, headers: ['X-Panel-Event', 'x'], body }, signal)
  if (outcome === undefined) throw new Error('It was interrupted')
  return outcome
}

// A server that sends this once a request has come; returns its port.
async function serverFor(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

const speaking = async (speak: (socket: Socket) => void): Promise<string> => {
  const server = createServer(socket => socket.once('data', () => speak(socket)))
  return `http://127.0.0.1:${await serverFor(server)}/`
}

t.test('a try has 10 s, 5 of them for the connection', async t => {
  t.match(limits, { totalMs: 10_000, connectMs: 5_000, answerBytes: 2_048 })
})

t.test('only an answer of 2xx is a success', async t => {
  const receiver = await receiverFor(t)
  for (const status of [200, 202, 204, 299]) {
    receiver.answer = (_request, response) => response.writeHead(status).end()
    t.match(await post(receiver.url), { status, error: null, isTimeout: false })
  }
  for (const status of [400, 401, 404, 410, 429, 500, 503, 599]) {
    receiver.answer = (_request, response) => response.writeHead(status).end()
    t.match(await post(receiver.url), { status, error: `Answered ${status}`, isTimeout: false })
  }
})

t.test('a redirect is a failure, and is not followed', async t => {
  const receiver = await receiverFor(t)
  receiver.answer = (request, response) =>
    response.writeHead(request.path === '/' ? 307 : 204, { location: '/elsewhere' }).end()
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.answer = (_request, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end()
    const error = `Answered ${status}; redirects are not followed`
    t.match(await post(`${receiver.url}/`), { status, error })
  }
  t.strictSame([...new Set(receiver.received.map(({ path }) => path))], ['/'])
})

t.test('the first 2 KiB of the answer are kept', async t => {
  const receiver = await receiverFor(t)
  receiver.answer = (_request, response) => response.end('x'.repeat(2_048) + 'y'.repeat(100_000))
  const { error, answer } = await post(receiver.url)
  t.equal(error, null)
  t.equal(`${answer}`, 'x'.repeat(2_048))
})

t.test('a receiver that never answers, or only ever begins to, has let the time pass', async t => {
  const silent = await speaking(() => undefined)
  const dripping = await speaking(socket => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('x: y\r\n'), 20)
    socket.on('close', () => clearInterval(drip))
  })
  const deaf = `http://127.0.0.1:${await serverFor(createServer(() => undefined))}/`
  for (const url of [silent, dripping, deaf]) {
    const outcome = await post(url)
    t.match(outcome, { status: null, error: 'No response within 0.4 s', isTimeout: true })
    t.equal(outcome.answer, null)
    t.ok(outcome.durationMs >= 390)
  }
})

t.test('an answer without end is a success as soon as it is one, and is cut off', async t => {
  const streaming = await speaking(socket => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const stream = setInterval(() => socket.write(`400\r\n${'z'.repeat(1_024)}\r\n`), 1)
    socket.on('close', () => clearInterval(stream))
  })
  const { status, error, answer } = await post(streaming)
  t.strictSame({ status, error }, { status: 200, error: null })
  t.equal(answer?.length, 2_048)
  const stalled = await speaking(socket =>
    socket.write('HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhalf'),
  )
  const half = await post(stalled)
  t.match(half, { status: 500, error: 'Answered 500', isTimeout: false })
  t.equal(`${half.answer}`, 'half')
})

t.test('a broken answer is a failure with its reason', async t => {
  const broken: [(socket: Socket) => void, RegExp][] = [
    [socket => socket.destroy(), /closed the connection without a response/],
    [
      socket => socket.resetAndDestroy(),
      /^The receiver (closed the connection|reset .*ECONNRESET)/,
    ],
    [socket => socket.end('HTTP/1.1 20'), /closed the connection|not valid HTTP$/],
    [
      socket => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
      /^The receiver’s response is not valid HTTP$/,
    ],
    [socket => socket.end('HTTP/1.1 200 OK\r\nb ad\r\n\r\n'), /^The receiver’s .* not valid HTTP$/],
    [
      socket => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1_048_576)}\r\n\r\n`),
      /response headers are too long/,
    ],
    [
      socket => socket.end(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(10_000)}\r\n`),
      /response headers are too long/,
    ],
    [
      socket => socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n'),
      /^The receiver sent an unexpected 100 Continue/,
    ],
    [socket => socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'), /not valid HTTP$/],
    [
      socket => socket.end('HTTP/1.1 101 No\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      /^The receiver sent an unexpected protocol upgrade/,
    ],
  ]
  for (const [speak, error] of broken) {
    t.match(await post(await speaking(speak)), { status: null, error, isTimeout: false })
  }
  const server = createServer()
  const port = await serverFor(server)
  server.close()
  await once(server, 'close')
  t.match(await post(`http://127.0.0.1:${port}/`), {
    status: null,
    error: /^Connection refused: .*ECONNREFUSED/,
  })
})

t.test('a receiver’s text in a reason moves no cursor', async t => {
  const speak = (socket: Socket) => socket.end('HTTP/1.1 \u001b[31m999\r\n\r\n')
  const { error } = await post(await speaking(speak))
  t.notMatch(error, /[\u0000-\u001f]/)
})

t.test('a name without address, or without any that answers, is a failure', async t => {
  const nameless = openOutside({
    allowed: [],
    resolve: async hostname => {
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
    },
  })
  const request = { url: 'http://gone.example/', headers: [], body: Buffer.alloc(0) }
  const { signal } = new AbortController()
  t.match(await nameless.post(request, signal), {
    status: null,
    error: 'The host name cannot be resolved (ENOTFOUND)',
  })
  const silent = openOutside({
    allowed: [],
    resolve: () => new Promise(() => undefined),
    limits: short,
  })
  t.match(await silent.post(request, signal), { status: null, isTimeout: true })
})

t.test('a caller that interrupts an attempt gets no outcome', async t => {
  const receiver = await receiverFor(t)
  receiver.answer = () => interruption.abort()
  const interruption = new AbortController()
  const request = { url: receiver.url, headers: [], body: Buffer.alloc(1) }
  t.equal(await outside.post(request, interruption.signal), undefined)
})

t.test('TLS is checked, and what breaks it is a failure', async t => {
  const folder = t.testdir()
  const file = (name: string) => join(folder, name)
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', file('key'), '-out', file('cert'), '-days', '1', '-subj', '/CN=receiver'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:receiver.test'],
    ],
    { stdio: 'ignore' },
  )
  const [key, cert] = [readFileSync(file('key')), readFileSync(file('cert'), 'utf8')]
  const answering = createHttpServer((_request, response) => response.writeHead(204).end())
  const port = await serverFor(
    createTlsServer({ key, cert }, socket => answering.emit('connection', socket)),
  )
  t.match(await post(`https://127.0.0.1:${port}/`), {
    status: null,
    error: /comes from no authority that this server trusts.*PANEL_WEBHOOK_CA .*\(DEPTH_ZERO_SELF_/,
  })
  t.match(await post(`http://127.0.0.1:${port}/`), { status: null, error: /./ })
  const plain = await speaking(socket => socket.end('HTTP/1.1 204 No\r\n\r\n'))
  t.match(await post(plain.replace('http:', 'https:')), {
    status: null,
    error: /^The receiver does not use TLS on this port/,
  })
  const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 40])
  const disagreeing = await speaking(socket => socket.end(alert))
  t.match(await post(disagreeing.replace('http:', 'https:')), {
    status: null,
    error: /^TLS failed \(ERR_SSL_[^ ]*HANDSHAKE_FAILURE\)$/,
  })

  setDefaultCACertificates([...getCACertificates('default'), cert])
  t.match(await post(`https://127.0.0.1:${port}/`), { status: 204, error: null })
  const named = openOutside({
    allowed: ['127.0.0.1/32'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const to = (host: string) =>
    named.post(
      { url: `https://${host}:${port}/`, headers: [], body: Buffer.alloc(0) },
      new AbortController().signal,
    )
  t.match(await to('receiver.test'), { status: 204 })
  t.match(await to('other.test'), { status: null, error: /ERR_TLS_CERT_ALTNAME_INVALID/ })
})

t.test('no proxy of the environment is used', async t => {
  const [proxy, receiver] = [await receiverFor(t), await receiverFor(t)]
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
  for (const name of names) process.env[name] = proxy.url
  t.teardown(() => names.forEach(name => delete process.env[name]))
  const fresh = openOutside({ allowed: ['127.0.0.0/8'], limits: short })
  const request = { url: receiver.url, headers: [], body: Buffer.alloc(1) }
  t.match(await fresh.post(request, new AbortController().signal), { status: 204 })
  t.equal(proxy.received.length, 0)
})

t.test('a connection serves a burst of deliveries', async t => {
  const ports = new Set<number | undefined>()
  const server = createHttpServer((request, response) => {
    ports.add(request.socket.remotePort)
    response.writeHead(204).end()
  })
  const url = `http://127.0.0.1:${await serverFor(server)}/`
  for (let count = 0; count < 10; count++) await post(url)
  t.ok(ports.size <= 2, `${ports.size} connections`)
})
