import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

// A proxy between a billing system and the panel, with faults.

export type Output = { status: number; headers?: Record<string, string>; body: string }

/** The fault of one request. */
export type Fault =
  | 'pass'
  /** The connection ends before the panel gets the request, after the answer, or within it. */
  | 'reset'
  | 'lost'
  | 'cut'
  /** There is never an answer. */
  | 'silent'
  /** The answer is delayed. */
  | { delayMs: number }
  /** The panel does not get the request; this is the answer. */
  | { instead: Output }
  /** The panel carries the request out, but this is the answer. */
  | { afterwards: Output }

export type Heard = { method: string; path: string; key: string; token: string; body: string }

export type Faulty = {
  port: number
  /** Every request that arrived. */
  heard: Heard[]
  /** Faults of the next writes, one each; later ones have none. */
  next: (...faults: Fault[]) => void
  /** The fault of every request from now on. */
  always: (fault: Fault) => void
}

export type Tls = { key: string; cert: string }

export async function openFaulty(t: Test, target: string, tls?: Tls): Promise<Faulty> {
  let faults: Fault[] = []
  let usual: Fault = 'pass'
  const heard: Heard[] = []

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? ''
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    heard.push({
      method,
      path: request.url ?? '',
      key: String(request.headers['idempotency-key'] ?? ''),
      token: String(request.headers.authorization ?? ''),
      body,
    })
    const fault = method === 'GET' ? usual : (faults.shift() ?? usual)
    if (fault === 'reset') return void request.socket.destroy()
    if (fault === 'silent') return
    if (typeof fault === 'object' && 'instead' in fault) return say(response, fault.instead)
    const answer = await forward(target, request, body)
    if (fault === 'lost') return void request.socket.destroy()
    if (fault === 'cut') {
      response.writeHead(answer.status, answer.headers)
      response.write(answer.body.slice(0, answer.body.length >> 1))
      // So that the written part is sent before the connection ends.
      await sleep(20)
      return void request.socket.destroy()
    }
    if (typeof fault === 'object' && 'afterwards' in fault) return say(response, fault.afterwards)
    if (typeof fault === 'object') await sleep(fault.delayMs)
    say(response, answer)
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => request.socket.destroy())
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    next: (...given) => (faults = given),
    always: fault => (usual = fault),
  }
}

function say(response: ServerResponse, { status, headers = {}, body }: Output): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

async function forward(target: string, from: IncomingMessage, body: string): Promise<Output> {
  const to = send(`${target}${from.url}`, { method: from.method!, headers: from.headers })
  to.end(body)
  const [answer] = (await once(to, 'response')) as [IncomingMessage]
  const bytes = Buffer.concat(await Array.fromAsync(answer))
  const headers = Object.entries(answer.headers).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name),
  )
  return {
    status: answer.statusCode!,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: bytes.toString(),
  }
}

/** An error in the panel's form. */
export const refusal = (status: number, error: string, headers = {}): Output => ({
  status,
  headers,
  body: JSON.stringify({ error }),
})
