import { existsSync } from 'node:fs'
import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { HostDatabases } from '../../model/databases/host-databases.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import type { DriftOf, Machine, Resource } from '../contract.ts'
import { trashPathOf } from '../accounts/trash.ts'
import { ensureFolder } from '../tools/files.ts'
import { notAnswering } from '../mariadb/client.ts'
import { steps, desiredOf } from './converge.ts'
import { dropDatabase } from './drop.ts'
import { dumpDatabase, streamDump } from './dump.ts'
import { whyNoDatabases } from './health.ts'
import { namesOf, read } from './reading.ts'
import { removeExpiredExports } from './export.ts'
import { restoreDump } from './restore-dump.ts'
import { serviceOf } from './service.ts'
import { dropUser, internalUserOf } from './statements.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

/**
 * The account's databases in MariaDB, and their users. Databases without a row belong to something
 * else.
 */
export const databases: Resource = {
  name: 'databases',
  whyDown: whyNoDatabases,
  // Each step costs a check of the lane's lock, and many accounts have no databases.
  isNeeded: (_machine, account) => account.databases !== undefined,
  ensure: (machine, account) => ensure(machine, account, isWaiting(account.databases)),
  // Locks all users; a MariaDB that cannot be reached is a warning.
  clear: (machine, account) => ensure(machine, account, false),
  remove,
  removeExpired: removeExpiredExports,
  serve: serviceOf,
  drift,
  dumps: (machine, { databases: own }) =>
    (own?.databases ?? []).map(({ name }) => ({
      file: `${name}.sql`,
      read: () => streamDump(machine, name),
    })),
  restoreDump,
}

// Returns whether the account waits for work that only MariaDB can do: locking users of a server
// that is down can be done later.
const isWaiting = (own: HostDatabases | undefined): boolean =>
  own !== undefined &&
  own.mayWait !== true &&
  [
    ...[own.databases, own.users].flatMap(all => all.map(({ isNew }) => isNew)),
    ...own.users.map(({ isSet }) => !isSet),
    ...own.databases.map(({ openHash }) => typeof openHash === 'string'),
    own.deleting.databases.length + own.deleting.users.length > 0,
  ].includes(true)

async function ensure(
  machine: Machine,
  account: HostAccount,
  isNeeded: boolean,
): Promise<Warning | void> {
  if (account.databases === undefined) return
  try {
    await converge(machine, account, account.databases)
  } catch (error) {
    const isDown = error instanceof PanelError && error.code === 'unavailable'
    if (!isDown || isNeeded) throw error
    return { code: 'databases_down', sentence: error.message }
  }
}

async function converge(machine: Machine, account: HostAccount, own: HostDatabases): Promise<void> {
  const server = machine.part(mariaDb)
  const found = await read(server, namesOf(own))
  for (const step of steps(desiredOf(account, own), found)) {
    if ('drops' in step) await dropDatabase(server, step.drops)
    else await server.query(step.statement)
  }
}

// An operation may take somewhat longer.
const dumpsMs = 200_000

// Dumps each database into the trash, next to the home, and reads the dump back before dropping the
// database. Since users were locked nothing has changed, so the dump of an earlier attempt is just
// as good.
async function remove(machine: Machine, account: HostAccount): Promise<void> {
  if (account.databases === undefined) return
  const { databases: all, users, deleting } = account.databases
  const own: HostDatabases = {
    ...{ databases: [], users: [] },
    deleting: { databases: deleting.databases, users: [...users, ...deleting.users] },
  }
  const server = machine.part(mariaDb)
  const found = await read(server, namesOf(account.databases))
  const until = performance.now() + dumpsMs
  for (const one of all) {
    const { name } = one
    if (!found.databases.has(name)) continue
    const folder = trashFolder(machine, account)
    await dumpDatabase(machine, { name, folder, timeoutMs: until - performance.now() })
    await server.query(dropUser(internalUserOf(one)))
    await dropDatabase(server, name)
  }
  await converge(machine, account, own)
}

function trashFolder(machine: Machine, { uid }: HostAccount): string {
  const location = machine.path(trashPathOf(uid))
  // There is no home if the machine was rebuilt without it.
  const owner = machine.files.owner(0, 0)
  if (!existsSync(location)) ensureFolder(location, 0o700, owner)
  ensureFolder(`${location}/databases`, 0o700, owner)
  return `${location}/databases`
}

async function drift(machine: Machine): Promise<DriftOf> {
  const server = machine.part(mariaDb)
  if (!server.isUsed()) return ({ databases: own }) => (own ? [notAnswering] : [])
  const found = await read(server).catch(() => undefined)
  return account => {
    const { databases: own } = account
    if (own === undefined) return []
    if (found === undefined) return [notAnswering]
    try {
      return steps(desiredOf(account, own), found).flatMap(({ drift }) => drift ?? [])
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  }
}
