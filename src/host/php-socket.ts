import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import { fieldsOf } from './users.ts'
import { readFile } from './files.ts'

/**
 * Makes a listening socket for nginx alone, hands its descriptor to whoever is to answer on it,
 * and puts it in its place. Connections that come before they are answered wait in the kernel.
 */
export async function listenForNginx(
  path: string,
  hand: (descriptor: number) => void,
): Promise<void> {
  const fresh = `${path}.new`
  fs.rmSync(fresh, { force: true })
  const server = createServer()
  server.listen(fresh)
  await once(server, 'listening')
  try {
    fs.chmodSync(fresh, 0o600)
    fs.chownSync(fresh, webServerId(), 0)
    hand(descriptorOf(server))
    fs.renameSync(fresh, path)
  } finally {
    // Before anything else of this process runs, so no connection is taken here.
    server.close()
  }
}

// Node has no other way to pass on a socket that listens to a process that is not Node.
function descriptorOf(server: Server): number {
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle
  if (!Number.isInteger(fd) || fd < 0) throw new Error('A listening socket has no descriptor')
  return fd
}

function webServerId(): number {
  const id = fieldsOf(readFile('/etc/passwd') ?? '', 'www-data')?.[2]
  if (id === undefined) throw new Error('There is no user www-data: is nginx installed?')
  return Number(id)
}
