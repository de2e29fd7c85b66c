import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

// Requests that may take long to arrive, because a signed-in user uploads a file. All others must
// arrive within their time: a slow caller holds a connection. One that sends nothing is ended
// anyway.

const long = new WeakSet<Duplex>()

/** Suspends the time limit of a request while `receive` reads it. */
export async function takingLong<T>(
  message: IncomingMessage,
  receive: () => Promise<T>,
): Promise<T> {
  long.add(message.socket)
  try {
    return await receive()
  } finally {
    long.delete(message.socket)
  }
}

export const isTakingLong = (socket: Duplex): boolean => long.has(socket)
