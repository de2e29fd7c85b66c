import { once } from 'node:events'
import { chmod, lstat, unlink } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect } from 'node:net'

/**
 * Listens at an address, or on a Unix socket, in the place of one that a killed process has left.
 * The socket's folder says who may come near it, and its mode that the group may connect. One that
 * is open already (`fd`) is taken as it is.
 *
 * @throws EADDRINUSE where somebody else listens
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
  // What is no socket is not ours to remove, though it refuses connections too.
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
