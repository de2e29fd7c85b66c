import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

// Requests that may take long to arrive, because somebody known sends a file. All others have to be
// there within their time: a slow caller holds a connection. One that brings nothing ends anyway.

const long = new WeakSet<Duplex>()

/** Lets a request take its time while `receive` reads it. */
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
