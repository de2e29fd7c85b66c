import { chmodSync, existsSync, statSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { DatabaseServer } from './database-server.ts'
import { openClient } from './client.ts'

// The distribution's MariaDB, which authenticates root by its system user.
const program = '/usr/sbin/mariadbd'
// MariaDB's unit closes this folder (systemd/mariadb.conf), as only root goes through it to the
// socket.
const folder = '/run/mysqld'
const socket = `${folder}/mysqld.sock`
const user = 'root'

/** Returns the machine's MariaDB; the panel never starts it. */
export function linuxMariaDb(): DatabaseServer {
  const { query } = openClient(socket, user)
  const lack = () => (existsSync(program) || existsSync(socket) ? undefined : missing)
  return {
    lack,
    isUsed: () => lack() === undefined,
    async query(statement) {
      if (lack() !== undefined) throw new PanelError('unavailable', missing)
      return query(statement)
    },
    closedStart,
    open(start) {
      if (closedStart() === start) chmodSync(folder, 0o755)
    },
    socket,
    client: async () => ({ user }),
  }
}

// A restart makes the socket again.
function closedStart(): string | undefined {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
  const found = statSync(socket, { throwIfNoEntry: false })
  if ((mode & 0o777) !== 0o700 || found === undefined) return undefined
  return `${found.ino} ${found.ctimeMs}`
}

/** The error for database requests on a server without MariaDB. */
export const missing = 'MariaDB is not installed on this server: databases are not available'
