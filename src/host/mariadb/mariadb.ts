import type { MachinePart } from '../contract.ts'
import type { DatabaseServer } from './database-server.ts'
import { linuxMariaDb } from './linux-mariadb.ts'
import { sandboxMariaDb } from './sandbox-mariadb.ts'

/** The MariaDB of the machine. */
export const mariaDb: MachinePart<DatabaseServer> = {
  linux: () => linuxMariaDb(),
  sandbox: ({ path }) => sandboxMariaDb(path),
}
