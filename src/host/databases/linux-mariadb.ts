import { existsSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { DatabaseServer } from '../contract.ts'
import { openClient } from './client.ts'

// The MariaDB of the distribution, which knows root by its user.
const program = '/usr/sbin/mariadbd'
const socket = '/run/mysqld/mysqld.sock'
const user = 'root'

/** The machine's MariaDB; it is never started here. */
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
    socket,
    client: async () => ({ user }),
  }
}

/** What who asks for a database is told where there is no server of them. */
export const missing = 'There is no MariaDB on this server: it has no databases'
