import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine } from '../contract.ts'
import type { RestoredDump } from '../kept.ts'
import { dropDatabase } from './drop.ts'
import { importDatabase } from './import.ts'
import { mariaDb } from '../mariadb/mariadb.ts'
import * as sql from './statements.ts'

/**
 * Empties a database and imports the dump that a backup has of it; may run twice. Returns what
 * MariaDB refused; undefined if the account has no such database. The signal ends it.
 *
 * @throws {PanelError} `invalid` while it is open in Adminer, which uses the same internal user
 */
export async function restoreDump(
  machine: Machine,
  account: HostAccount,
  { file, path, signal }: RestoredDump,
): Promise<string[] | undefined> {
  const name = file.replace(/\.sql$/, '')
  const database = account.databases?.databases.find(one => one.name === name)
  if (database === undefined) return undefined
  if (typeof database.openHash === 'string') {
    throw new PanelError('invalid', `${name} is open in Adminer: close it there, then try again`)
  }
  const server = machine.part(mariaDb)
  await dropDatabase(server, name)
  await server.query(sql.createDatabase(database))
  return importDatabase(machine, account, { database, source: { restored: path }, signal })
}
