import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

export type Received = {
  path: string
  headers: IncomingMessage['headers']
  body: Buffer
  at: number
}

export type Receiver = {
  url: string
  received: Received[]
  /** Its answer from now on; 204 at first. */
  answer: (request: Received, response: ServerResponse) => void
}

/** A receiver of webhooks: keeps what it gets, in order. */
export async function receiverFor(t: Test, address = '127.0.0.1'): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    answer: (_request, response) => response.writeHead(204).end(),
  }
  const listen: RequestListener = async (request, response) => {
    const at = performance.now()
    const { url: path = '', headers } = request
    const received = { path, headers, body: await buffer(request), at }
    receiver.received.push(received)
    receiver.answer(received, response)
  }
  // The caller may be gone before it has sent all.
  const server = createServer((request, response) => void listen(request, response))
  server.listen(0, address)
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://${address}:${(server.address() as AddressInfo).port}`
  return receiver
}
