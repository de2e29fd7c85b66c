import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Proxies } from '../../src/http/caller-address.ts'
import { limitConnections, limits } from '../../src/http/connection-limits.ts'
import { json } from '../../src/http/reply.ts'
import { createApp } from '../../src/http/server.ts'
import { developmentLicense } from '../../src/model/server/license.ts'
import { until } from '../support/until.ts'

// Clients hold connections open, on loopback, where each of 127.0.0.0/8 is an address of its own.

const none: Proxies = { isSocket: false, trusted: [] }

/** A server whose /hang answers on a signal of the test, listening for all of loopback. */
async function open(t: Test, proxies = none) {
  const hanging = new Set<() => void>()
  const { server } = createApp(
    [
      {
        method: 'POST',
        path: '/api/v1/length',
        permissions: ['Provisioning only'],
        handler: async it => json(200, it.rawBody.length),
      },
    ],
    [
      { path: '/healthz', handler: async () => json(200, {}) },
      {
        path: '/hang',
        handler: () => new Promise(resolve => hanging.add(() => resolve(json(200, {})))),
      },
    ],
    async () => ({
      caller: {
        id: 'token:1',
        role: 'administrator',
        sellerId: '1',
        accountId: null,
        address: null,
      },
      token: 'of the test',
      rateHeaders: {},
    }),
    { require: () => developmentLicense, stop: () => undefined },
    proxies,
  )
  const release = () => hanging.forEach(answer => answer())
  const port = await listen(t, server)
  t.teardown(release)
  return { server, port, hanging, release }
}

async function listen(t: Test, server: Server & { closeAllConnections: () => void }) {
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const held = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

/** The status of an answer, or 0 where there was none. */
const ask = (port: number, from: string, path: string, headers = {}): Promise<number> =>
  new Promise(resolve => {
    const asked = { host: '127.0.0.1', port, localAddress: from, path, agent: false, headers }
    request(asked, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', () => resolve(0))
      .end()
  })

/** Opens connections one after the other that send half a request, and nothing more. */
async function openHalf(t: Test, port: number, count: number, from: (n: number) => string) {
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach(socket => socket.destroy()))
  for (let n = 0; n < count; n++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from(n) })
    socket.on('error', () => undefined).write('POST /api/v1/length HTTP/1.1\r\nX: y\r\n')
    sockets.push(socket)
    if (n % 50 === 0) await once(socket, 'connect')
  }
}

/** Sends requests repeatedly during an action; returns all answers. */
async function meanwhile(port: number, from: string, happening: Promise<unknown>) {
  const statuses: number[] = []
  let isOver = false
  void happening.finally(() => (isOver = true))
  while (!isOver) {
    statuses.push(await ask(port, from, '/healthz'))
    statuses.push(await ask(port, from, '/nowhere'))
  }
  return statuses
}

const areAnswered = (t: Test, statuses: number[]) => {
  t.ok(statuses.length > 1, `asked ${statuses.length} times`)
  t.strictSame([...new Set(statuses)].sort(), [200, 404])
}

t.test('an ended connection is gone within a second, whatever bytes arrive', async t => {
  const { server, port } = await open(t)
  const begun = {
    'what is not HTTP': 'nonsense\r\n\r\n',
    'too large a header': `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`,
    CONNECT: 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
    'a last request': 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    'an unread body': 'PUT /x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n',
  }
  Object.assign(server, { connectionsCheckingInterval: 50, headersTimeout: 300 })
  const all = { ...begun, 'a slow request': 'GET / HTTP/1.1\r\n' }
  for (const [title, bytes] of Object.entries(all)) {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined).write(bytes)
    const [there] = await accepted
    await once(socket, 'data')
    const answeredAt = performance.now()
    const drip = setInterval(() => socket.writable && socket.write('x'), 20)
    await until(() => there.destroyed, 5_000)
    clearInterval(drip)
    socket.destroy()
    // A second, and what a busy machine takes.
    t.ok(performance.now() - answeredAt < 2_500, title)
  }
})

t.test('a client gets 256 of 3,000 connections, others of its address are answered', async t => {
  const { server, port } = await open(t)
  const attack = openHalf(t, port, 3_000, () => '127.0.0.1')
  areAnswered(t, await meanwhile(port, '127.0.0.1', attack))
  areAnswered(t, await meanwhile(port, '127.0.0.2', sleep(500)))
  await until(async () => (await held(server)) <= limits.maxOfOne)
})

t.test('3,000 addresses with a connection each block no other client', async t => {
  const { server, port } = await open(t)
  const attack = openHalf(t, port, 3_000, n => `127.1.${n >> 8}.${1 + (n % 250)}`)
  areAnswered(t, await meanwhile(port, '127.0.0.1', attack))
  areAnswered(t, await meanwhile(port, '127.0.0.1', sleep(500)))
  await until(async () => (await held(server)) <= limits.maxTotal)
  t.ok((await held(server)) > limits.maxTotal / 2, 'they are not refused while there is room')
})

t.test('a request in progress is not ended, and small clients get slots', async t => {
  const { port, hanging, release } = await open(t)
  const full = limits.maxTotal - limits.kept
  const busy = Array.from({ length: full / limits.maxOfOne }, (_, n) => `127.2.0.${n + 1}`)
  const asked: Promise<number>[] = []
  for (const from of busy) {
    for (let n = 0; n < limits.maxOfOne; n++) asked.push(ask(port, from, '/hang'))
    await until(() => hanging.size === asked.length)
  }
  t.equal(await ask(port, busy[0]!, '/healthz'), 0, 'it has its share')
  const others = Array.from({ length: limits.few + 4 }, () => ask(port, '127.3.0.1', '/hang'))
  await until(() => hanging.size === full + limits.few)
  t.equal(await ask(port, '127.3.0.1', '/healthz'), 0, 'few is few')
  t.equal(await ask(port, '127.0.0.1', '/healthz'), 200)
  const attack = openHalf(t, port, 1_000, n => `127.4.${n >> 8}.${1 + (n % 250)}`)
  areAnswered(t, await meanwhile(port, '127.0.0.1', attack))
  release()
  t.strictSame([...new Set(await Promise.all(asked))], [200], 'each got its answer')
  t.strictSame((await Promise.all(others)).sort(), [0, 0, 0, 0, ...Array(limits.few).fill(200)])
})

t.test('a pipelined request is in progress, too', async t => {
  const { port, hanging, release } = await open(t)
  const socket = connect({ port, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
  let answers = ''
  socket.on('data', (chunk: Buffer) => (answers += chunk.toString()))
  socket.on('error', () => undefined).write(get('/healthz') + get('/healthz') + get('/hang'))
  await until(() => hanging.size === 1)
  const others = Array.from({ length: limits.maxOfOne - 1 }, () => ask(port, '127.0.0.1', '/hang'))
  await until(() => hanging.size === limits.maxOfOne)
  t.equal(await ask(port, '127.0.0.1', '/healthz'), 0, 'nothing has to go for it')
  release()
  t.strictSame([...new Set(await Promise.all(others))], [200])
  await until(() => answers.split('HTTP/1.1 200').length === 4)
})

t.test('behind a proxy it is requests that are counted, by the caller’s address', async t => {
  const { port, hanging, release } = await open(t, { isSocket: false, trusted: ['127.9.0.0/16'] })
  const via = (caller: string, path: string) =>
    ask(port, '127.9.0.1', path, { 'x-forwarded-for': caller })
  const asked = Array.from({ length: limits.maxOfOne }, () => via('203.0.113.9', '/hang'))
  await until(() => hanging.size === limits.maxOfOne)
  t.equal(await via('203.0.113.9', '/nowhere'), 429)
  t.equal(await via('203.0.113.9', '/healthz'), 200)
  t.equal(await via('203.0.113.10', '/nowhere'), 404)
  t.equal(await ask(port, '127.0.0.1', '/nowhere', { 'x-forwarded-for': '203.0.113.9' }), 404)
  release()
  t.strictSame([...new Set(await Promise.all(asked))], [200])
  t.equal(await via('203.0.113.9', '/nowhere'), 404)
})

t.test('bytes renew neither a rest nor an answer that is not taken', async t => {
  const short = { ...limits, restMs: 400, requestMs: 800, checkMs: 50 }
  const body = Buffer.alloc(64 * 2 ** 20)
  const server = createServer((message, response: ServerResponse) => {
    noteRequest(message, response)
    response.end(message.url === '/large' ? body : '')
  })
  const noteRequest = limitConnections(server, none, short)
  const port = await listen(t, server)
  for (const path of ['/small', '/large']) {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1' }).pause()
    socket.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const [there] = await accepted
    const drip = setInterval(() => socket.write('\r\n'), 20)
    await until(() => there.destroyed, 5_000)
    clearInterval(drip)
    socket.destroy()
  }
})
