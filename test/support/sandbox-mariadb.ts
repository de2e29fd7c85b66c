import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import type { Test } from 'tap'
import { until } from './until.ts'

/** Whether MariaDB is installed, which the sandbox runs as a process of its own. */
export const hasMariadb = existsSync('/usr/sbin/mariadbd')

/**
 * Returns a function that asks the MariaDB of a sandbox, and ends that with the test. Otherwise it
 * would end with the worker's process, which is the test's own.
 */
export function askMariadb(t: Test, root: string) {
  const socketPath = join(root, 'run/mysqld/mysqld.sock')
  const ask = async (statement: string): Promise<RowDataPacket[]> => {
    const connection = await createConnection({ socketPath, user: userInfo().username })
    try {
      return (await connection.query<RowDataPacket[]>(statement))[0]
    } finally {
      connection.destroy()
    }
  }
  t.teardown(async () => {
    await ask('shutdown').catch(() => undefined)
    await until(() => !existsSync(join(root, 'var/lib/mysql/mariadbd.pid')))
  })
  return ask
}
