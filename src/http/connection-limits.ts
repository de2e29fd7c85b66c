import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressBehind, openProxies, peerOf, type Proxies } from './caller-address.ts'
import { networkOf } from './failures.ts'
import { isTakingLong } from './long-requests.ts'

// How many connections callers may hold, and how long without use. Where one has to go for another
// it is one at which nothing is done, so whoever connects and asks at once is answered, however
// many connections others hold open (docs/decisions/0023-connections-of-callers.md).

/** Of connections, and behind proxies, whose connections carry many callers, of requests. */
export const limits = {
  /** In all. A connection that says nothing takes some 14 KB, so all of them 30 MB. */
  most: 2_048,
  /** Of one address: more than a billing system has processes that ask at the same time. */
  maxOfOne: 256,
  /** The last of all, for addresses that have few: whoever asks `/healthz` has one. */
  kept: 256,
  few: 8,
  /** Longer than Node keeps a connection for a next request (65 s), which any bytes renew. */
  restMs: 75_000,
  /** To send takes 30 s at most and to wait for work 60 s; the rest is for taking the answer. */
  requestMs: 120_000,
  lookMs: 5_000,
}

type Connection = {
  socket: Socket
  network: string
  /** The answer that is in progress. */
  response: ServerResponse | undefined
  isServed: boolean
  /** When its request began, or its rest. */
  sinceMs: number
}

/** What stands for the proxies, whose callers are many. */
const proxy = 'proxy'

/**
 * Keeps the connections of a server within their limits.
 *
 * @returns notes a request that begins; false where a caller behind a proxy has too many
 */
export function limitConnections(
  server: Server,
  proxies: Proxies,
  { most, maxOfOne, kept, few, restMs, requestMs, lookMs } = limits,
): (message: IncomingMessage, response: ServerResponse) => boolean {
  const isProxy = openProxies(proxies)
  const addressOf = addressBehind(proxies)
  const open = new Map<Socket, Connection>()
  const held = countByName()
  const inProgress = countByName()

  const limitOfOne = (total: number) => (total < most - kept ? maxOfOne : few)
  const forget = ({ socket, network }: Connection): void => {
    if (open.delete(socket)) held.add(network, -1)
  }
  const end = (connection: Connection): void => {
    // Now, since a socket tells only later that it is closed.
    forget(connection)
    connection.socket.destroy()
  }
  const makeRoom = (network: string): boolean => {
    const isFull = network !== proxy && held.of(network) >= limitOfOne(open.size)
    if (!isFull && open.size < most) return true
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
    held.add(network, 1)
    socket.once('close', () => forget(connection))
  })

  const look = setInterval(() => {
    const nowMs = performance.now()
    for (const connection of open.values()) {
      const limitMs = connection.response === undefined ? restMs : requestMs
      if (isTakingLong(connection.socket)) continue
      if (nowMs - connection.sinceMs > limitMs) end(connection)
    }
  }, lookMs).unref()
  server.once('close', () => clearInterval(look))

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
      // The next one of the connection may have begun by now.
      if (connection.response === response) {
        connection.response = undefined
        connection.sinceMs = performance.now()
      }
      if (caller !== undefined) inProgress.add(caller, -1)
    })
    return caller === undefined || inProgress.of(caller) <= limitOfOne(inProgress.total())
  }
}

/** One at which nothing is done: first of those that never asked, then the one at rest longest. */
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
