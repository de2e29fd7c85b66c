import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { takingLong } from '../../src/http/long-requests.ts'
import { json } from '../../src/http/reply.ts'
import { readBody } from '../../src/http/request.ts'
import { createApp } from '../../src/http/server.ts'
import { developmentLicense } from '../../src/model/server/license.ts'
import { until } from '../support/until.ts'

// Slow callers are cut off after their time limit, and delay no other.

// More than a connection's buffers hold.
const large = json(200, 'x'.repeat(64 * 2 ** 20))

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
    { path: '/large', handler: async () => ({ ...large, headers: { ...large.headers } }) },
    {
      path: '/file',
      methods: ['POST'],
      handler: ({ message }) =>
        takingLong(message, async () => json(200, (await readBody(message)).length)),
    },
  ],
  async () => ({
    caller: { id: 'token:1', role: 'administrator', sellerId: '1', accountId: null, address: null },
    token: 'of the test',
    rateHeaders: {},
  }),
  { require: () => developmentLicense, stop: () => undefined },
)

t.test('a caller has a time for everything', async t => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server
  t.strictSame(
    { headersTimeout, requestTimeout, keepAliveTimeout, timeout },
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, timeout: 90_000 },
  )
})

t.test('slower clients are cut off, and others are answered meanwhile', async t => {
  // The same limits, only shorter.
  Object.assign(server, { connectionsCheckingInterval: 50 })
  Object.assign(server, { headersTimeout: 400, requestTimeout: 800, timeout: 1_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  const accepted = once(server, 'connection') as Promise<[Socket]>
  const deaf = connect(port, '127.0.0.1').pause()
  deaf.write('GET /large HTTP/1.1\r\nHost: panel.test\r\n\r\n')
  const [toDeaf] = await accepted

  const head = 'POST /api/v1/length HTTP/1.1\r\nHost: panel.test\r\n'
  const slow = {
    silent: drip(port, ''),
    'slow with its headers': drip(port, head, 'X: y\r\n'),
    'slow with its body': drip(port, `${head}Content-Length: 60000\r\n\r\n`, '{'),
    'slow with its chunks': drip(port, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n{\r\n'),
    'slow with its second request': drip(
      port,
      `${head}Content-Length: 0\r\n\r\n${head}`,
      'X: y\r\n',
    ),
  }
  let answered = 0
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/length`, {
        method: 'POST',
        body: '{}',
      })
      if (response.status === 200) answered++
      await sleep(20)
    }
  })()
  for (const [title, running] of Object.entries(slow)) {
    t.match(
      await running,
      /HTTP\/1\.1 408 [^]*x-panel-reason: too_slow[^]*"error":"The request took too long/,
      title,
    )
  }
  // More of them than the limit takes.
  const bits = 80
  const file = connect(port, '127.0.0.1')
  file.write(`POST /file HTTP/1.1\r\nHost: panel.test\r\nContent-Length: ${bits}\r\n\r\n`)
  const read = once(file, 'data')
  for (let sent = 0; sent < bits; sent++) {
    file.write('x')
    await sleep(20)
  }
  t.match(String(await read), new RegExp(`^HTTP/1.1 200 OK[^]*\r\n${bits}$`), 'a file has its time')
  file.destroy()
  isOver = true
  await others
  t.ok(answered > 2, `${answered} others were answered`)

  await until(() => toDeaf.destroyed)
  deaf.destroy()
})

/** Sends a beginning, then the same bit again and again; resolves to all that was received. */
async function drip(port: number, beginning: string, bit?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  let output = ''
  socket.on('data', chunk => (output += chunk))
  socket.write(beginning)
  const closed = once(socket, 'close').then(() => true)
  while (!(await Promise.race([closed, sleep(20, false)]))) if (bit !== undefined) socket.write(bit)
  return output
}
