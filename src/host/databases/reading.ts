import type { HostDatabases } from '../../model/databases/host-databases.ts'
import type { DatabaseServer } from '../mariadb/database-server.ts'
import {
  columnOf,
  internalUserOf,
  type Names,
  readGrants,
  readNames,
  rightsOf,
} from './statements.ts'

// MariaDB's state for an account, read again for every change: nothing is remembered.

export type FoundUser = {
  hash: string
  isLocked: boolean
  connections: number
  /** Its rights, by the patterns of databases. */
  grants: Map<string, Set<string>>
}

export type Found = {
  /** Each database with its comment. */
  databases: Map<string, string>
  users: Map<string, FoundUser>
}

/** Returns the databases and users with these names, or all, including those of others. */
export async function read(
  { query }: Pick<DatabaseServer, 'query'>,
  names?: Names,
): Promise<Found> {
  const [rows, grants] = await Promise.all([
    query(readNames(names)),
    names?.users.length === 0 ? [] : query(readGrants(names?.users)),
  ])
  const of = (kind: 'database' | 'user') =>
    rows
      .filter(row => row['kind'] === kind)
      .map(({ name, value }) => [String(name), String(value)] as const)
  const found: Found = {
    databases: new Map(of('database')),
    users: new Map(of('user').map(([name, priv]) => [name, toUser(priv)])),
  }
  for (const row of grants) {
    const own = known.filter(right => row[columnOf(right)] === 'Y')
    const others = Object.entries(row).filter(
      ([column, value]) => column.endsWith('_priv') && value === 'Y' && !ofKnown.has(column),
    )
    const all = [...own, ...others.map(([column]) => column)]
    found.users.get(String(row['User']))?.grants.set(String(row['Db']), new Set(all))
  }
  return found
}

const known = rightsOf.all
const ofKnown = new Set(known.map(columnOf))

function toUser(priv: string): FoundUser {
  const account = JSON.parse(priv) as {
    authentication_string?: string
    plugin?: string
    account_locked?: boolean
    max_user_connections?: number
  }
  return {
    hash: account.plugin === 'mysql_native_password' ? (account.authentication_string ?? '') : '',
    isLocked: account.account_locked === true,
    connections: account.max_user_connections ?? 0,
    grants: new Map(),
  }
}

/** Returns all names of an account, including those to be deleted. */
export const namesOf = ({ databases, users, deleting }: HostDatabases) => ({
  databases: [...databases, ...deleting.databases].map(({ name }) => name),
  users: [
    ...[...users, ...deleting.users].map(({ name }) => name),
    ...[...databases, ...deleting.databases].map(internalUserOf),
  ],
})
