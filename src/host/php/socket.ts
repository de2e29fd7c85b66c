import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import { webServerIds } from '../accounts/users.ts'

/**
 * Whether a socket that nginx alone may open is in its place. Whoever listens on it goes on without
 * a word when it is removed or closed, and no visitor comes any more.
 */
export function isSocketOpen(path: string): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() !== true) return false
  return (found.mode & 0o777) === 0o600 && found.uid === webServerIds().uid
}

/** Where a socket is made before it comes into its place. */
export const freshOf = (path: string): string => `${path}.new`

/**
 * Makes a listening socket for nginx alone, hands its descriptor to whoever is to answer on it,
 * and puts it in its place. Connections that come before they are answered wait in the kernel.
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
    // Closed in the same turn of the event loop, so this process takes no connection.
    server.close()
  }
}

// Node has no other way to pass on a socket that listens to a process that is not Node.
function descriptorOf(server: Server): number {
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  if (!Number.isInteger(fd) || fd < 0) throw new Error('A listening socket has no descriptor')
  return fd
}
