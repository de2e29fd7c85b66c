import { randomBytes } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { hashForMariaDb } from '../../model/databases/database-passwords.ts'
import { uploadsPath } from '../../model/server/host.ts'
import type { DumpSource, HostDatabase } from '../../model/databases/host-databases.ts'
import type { Machine } from '../contract.ts'
import { openInHome } from '../tools/open-in-home.ts'
import { execute } from './dump-client.ts'
import * as sql from './statements.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// A dump is an untrusted program. It runs as a MariaDB user that has rights on this database only
// and is locked again afterwards, in a client that can do nothing else.

/** The path at which a command puts a dump for the worker. */
export const importPathOf = (id: string): string => `/var/lib/panel/imports/${id}`

/** The path at which the API puts a customer's upload: in a folder owned by the API's user. */
const uploadPathOf = (id: string): string => `${uploadsPath}/${id}`

/**
 * Executes a dump and removes an uploaded one; returns what MariaDB refused of it. The signal ends
 * it, and its reason is the error's.
 */
export async function importDatabase(
  machine: Machine,
  account: Pick<HostAccount, 'username' | 'uid' | 'limits'>,
  { database, source, signal }: { database: HostDatabase; source: DumpSource; signal: AbortSignal },
): Promise<string[]> {
  const server = machine.part(mariaDb)
  const isUpload = 'id' in source
  const locations = isUpload
    ? [importPathOf(source.id), uploadPathOf(source.id)].map(location => machine.path(location))
    : []
  const user = sql.internalUserOf(database)
  const password = randomBytes(24).toString('hex')
  const file = await ('file' in source
    ? openInHome(machine, account, source.file)
    : openDump('restored' in source ? [source.restored] : locations))
  const close = async (): Promise<void> => {
    await server.query(sql.lockUser(user, true))
    await server.query(sql.killUser(user))
  }
  let refused: string[]
  try {
    await server.query(sql.ensureLockedUser(user))
    await server.query(sql.grant([user], database.name, sql.rightsOf.all))
    await server.query(sql.setPassword({ name: user, hash: hashForMariaDb(password) }))
    await server.query(sql.lockUser(user, false))
    const dump = { database: database.name, user, password, file, signal }
    refused = await execute(machine, account, dump)
  } catch (error) {
    // If that fails too, the rebuild locks it with everything else.
    await close().catch(() => undefined)
    throw error
  } finally {
    await file.close()
    for (const location of locations) rmSync(location, { force: true })
  }
  await close()
  return refused
}

// Opens neither a link nor a device: the folder's owner may have put anything there.
async function openDump(locations: readonly string[]): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  for (const location of locations) {
    const file = await open(location, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
    if (file === undefined) continue
    if ((await file.stat()).isFile()) return file
    await file.close()
  }
  throw new PanelError('invalid', 'The dump no longer exists; send it again')
}
