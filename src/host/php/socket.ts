import { once } from 'node:events'
import * as fs from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { webServerIds } from '../accounts/users.ts'

/**
 * Returns whether a socket that only nginx may open is at its path. A process that listens on it
 * gets no error when the path is removed or closed; visitors just stop coming.
 */
export function isSocketOpen(path: string): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() !== true) return false
  return (found.mode & 0o777) === 0o600 && found.uid === webServerIds().uid
}

/** The path at which a socket is made before it is renamed. */
export const freshOf = (path: string): string => `${path}.new`

/**
 * Makes a listening socket that only nginx can open, passes its descriptor to the given function,
 * and then renames it into its final path. Connections that arrive early wait in the kernel.
 */
export async function listenForNginx(
  path: string,
  hand: (descriptor: number) => void,
): Promise<void> {
  const fresh = freshOf(path)
  fs.rmSync(fresh, { force: true })
  const server = createServer()
  server.listen(fresh)
  await once(server, 'listening')
  try {
    fs.chmodSync(fresh, 0o600)
    fs.chownSync(fresh, webServerIds().uid, 0)
    hand(descriptorOf(server))
    fs.renameSync(fresh, path)
  } finally {
    // Closed in the same turn of the event loop, so this process accepts no connection.
    server.close()
  }
}

/**
 * Waits until PHP has accepted every connection that was made to a socket so far. They are accepted
 * in order, so one that sends nothing is closed after all others before it were taken.
 */
export async function untilAccepted(path: string, timeoutMs: number): Promise<void> {
  const connection = connect(path)
  connection.on('error', () => connection.destroy())
  connection.resume().end()
  const timer = setTimeout(() => connection.destroy(), timeoutMs)
  await new Promise(resolve => connection.once('close', resolve))
  clearTimeout(timer)
}

// Node has no other way to pass a listening socket to a process that is not Node.
function descriptorOf(server: Server): number {
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  if (!Number.isInteger(fd) || fd < 0) throw new Error('A listening socket has no descriptor')
  return fd
}
