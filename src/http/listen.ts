import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect } from 'node:net'

/**
 * Listens at an address, or on a Unix socket, replacing one that a killed process left behind. The
 * folder of the socket controls access to it, and its mode lets the group connect. A socket that is
 * already open (`fd`) is used directly.
 *
 * @throws EADDRINUSE if another process listens
 */
export async function listenAt(
  server: Server,
  where: string | { host: string; port: number } | { fd: number },
): Promise<void> {
  const isSocket = typeof where === 'string'
  if (isSocket && (await isAbandoned(where))) await unlink(where)
  server.listen(where)
  await once(server, 'listening')
  if (isSocket) await chmod(where, 0o660)
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  // A file that is not a socket also refuses connections, but must not be removed.
  if (!found?.isSocket()) return false
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}
