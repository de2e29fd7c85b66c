import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBehind, openProxies, peerOf, type Proxies } from './caller-address.ts'
import { networkOf } from './failures.ts'
import { isTakingLong } from './long-requests.ts'

// Limits how many connections callers may hold, and how long without use. If one must be closed for
// a new one, it is an idle one, so a caller that connects and sends a request at once is answered,
// however many connections others hold open (docs/decisions/0023-connections-of-callers.md).

/** Limits on connections and, behind proxies, whose connections carry many callers, on requests. */
export const limits = {
  /** The total. An idle connection takes some 14 KB, so all of them take 30 MB. */
  maxTotal: 2_048,
  /** Per address: more than the number of processes of a billing system that call at once. */
  maxOfOne: 256,
  /** The last connections, kept for addresses that have few, such as one that polls `/healthz`. */
  kept: 256,
  few: 8,
  /** Longer than Node keeps a connection open for a next request (65 s), which any bytes renew. */
  restMs: 75_000,
  /** Sending takes 30 s at most and waiting for work 60 s; the rest is for reading the answer. */
  requestMs: 120_000,
  checkMs: 5_000,
}

type Connection = {
  socket: Socket
  network: string
  /** The answer in progress. */
  response: ServerResponse | undefined
  isServed: boolean
  /** When its request, or its idle time, began. */
  sinceMs: number
}

/** The single key for all proxies, whose callers are many. */
const proxy = 'proxy'

/**
 * Keeps the connections of a server within their limits.
 *
 * @returns a function that counts a new request; false if a caller behind a proxy has too many
 */
export function limitConnections(
  server: Server,
  proxies: Proxies,
  { maxTotal, maxOfOne, kept, few, restMs, requestMs, checkMs } = limits,
): (message: IncomingMessage, response: ServerResponse) => boolean {
  const isProxy = openProxies(proxies)
  const addressOf = addressBehind(proxies)
  const open = new Map<Socket, Connection>()
  const connections = countByName()
  const inProgress = countByName()

  const limitOfOne = (total: number) => (total < maxTotal - kept ? maxOfOne : few)
  const forget = ({ socket, network }: Connection): void => {
    if (open.delete(socket)) connections.add(network, -1)
  }
  const end = (connection: Connection): void => {
    // Removed now, since a socket reports later that it is closed.
    forget(connection)
    connection.socket.destroy()
  }
  const makeRoom = (network: string): boolean => {
    const isFull = network !== proxy && connections.of(network) >= limitOfOne(open.size)
    if (!isFull && open.size < maxTotal) return true
    const idle = findIdle(open.values(), isFull ? network : undefined)
    if (idle !== undefined) end(idle)
    return idle !== undefined
  }

  server.on('connection', (socket: Socket) => {
    const network = isProxy(socket) ? proxy : networkOf(peerOf(socket) ?? 'unknown')
    if (!makeRoom(network)) return void socket.destroy()
    const sinceMs = performance.now()
    const connection = { socket, network, response: undefined, isServed: false, sinceMs }
    open.set(socket, connection)
    connections.add(network, 1)
    socket.once('close', () => forget(connection))
  })

  const timer = setInterval(() => {
    const nowMs = performance.now()
    for (const connection of open.values()) {
      const limitMs = connection.response === undefined ? restMs : requestMs
      if (isTakingLong(connection.socket)) continue
      if (nowMs - connection.sinceMs > limitMs) end(connection)
    }
  }, checkMs).unref()
  server.once('close', () => clearInterval(timer))

  return (message, response) => {
    const connection = open.get(message.socket)
    if (connection === undefined) return true
    connection.response = response
    connection.sinceMs = performance.now()
    const isCounted = connection.network === proxy && !/^\/healthz(\?|$)/.test(message.url ?? '')
    const caller = isCounted ? networkOf(addressOf(message) ?? 'unknown') : undefined
    if (caller !== undefined) inProgress.add(caller, 1)
    response.once('close', () => {
      connection.isServed = true
      // The next request of the connection may have begun by now.
      if (connection.response === response) {
        connection.response = undefined
        connection.sinceMs = performance.now()
      }
      if (caller !== undefined) inProgress.add(caller, -1)
    })
    return caller === undefined || inProgress.of(caller) <= limitOfOne(inProgress.total())
  }
}

/**
 * Returns an idle connection: first those without any request, then the one that has been idle
 * longest.
 */
function findIdle(connections: Iterable<Connection>, network?: string): Connection | undefined {
  let found: Connection | undefined
  for (const each of connections) {
    if (each.response?.writableEnded === false) continue
    if (network !== undefined && each.network !== network) continue
    const isAlike = found?.isServed === each.isServed
    if (found === undefined || (isAlike ? each.sinceMs < found.sinceMs : found.isServed)) {
      found = each
    }
  }
  return found
}

function countByName() {
  const counts = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    of: (name: string) => counts.get(name) ?? 0,
    add: (name: string, more: number) => {
      total += more
      const count = (counts.get(name) ?? 0) + more
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}
