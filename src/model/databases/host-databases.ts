import { z } from 'zod'
import type { HostPart } from '../operations/resource-kind.ts'

// An account's part of MariaDB for the machine: rows validated again, because their names become
// SQL.

const name = z.string().regex(/^[a-z][a-z0-9_-]{1,31}_[a-z0-9]{1,16}$/)
const hash = z.string().regex(/^\*[0-9A-F]{40}$/)

const Database = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  name,
  /**
   * Whether it is not created yet; until then, only a database marked with its number is this one.
   */
  isNew: z.boolean(),
  /** Whether it rejects writes because the account is full. */
  isFrozen: z.boolean().optional(),
  /** The hash with which its internal user logs in while the database is open in Adminer. */
  openHash: hash.nullish(),
})

const User = z.strictObject({
  name,
  hash,
  /** Whether it is not created yet; until then, only a user with this hash is this one. */
  isNew: z.boolean(),
  /** Whether the machine was given the hash; the customer may have set another since. */
  isSet: z.boolean(),
  grants: z.array(z.strictObject({ database: name, rights: z.enum(['all', 'read']) })),
})

export const HostDatabases = z.strictObject({
  /** The share of the package's disk that databases use and the home does not get. */
  reservedMb: z.int().min(0).max(10_000_000).optional(),
  /** Whether changes that need MariaDB may be deferred while it is down. */
  mayWait: z.boolean().optional(),
  databases: z.array(Database),
  users: z.array(User),
  /** Databases and users that must be deleted completely. */
  deleting: z.strictObject({ databases: z.array(Database), users: z.array(User) }),
})

export type HostDatabases = z.infer<typeof HostDatabases>
export type HostDatabase = z.infer<typeof Database>
export type HostDatabaseUser = z.infer<typeof User>

/**
 * A dump to import: a stored upload by its id, a file by its path in the account's home, or that of
 * a backup by its path on the machine.
 */
export type DumpSource = { id: string } | { file: string } | { restored: string }

/** The result of `panel.account_databases`; null for an account without databases. */
export type DatabaseRows =
  | (Record<'databases' | 'users', (object & { desired?: string })[]> & {
      reservedMb?: number
      mayWait?: boolean
    })
  | null

const shape = {
  /** Left out of an account without databases. */
  databases: HostDatabases.optional(),
}

export const hostDatabases: HostPart<DatabaseRows, typeof shape> = {
  shape,
  of: (rows, username) => (rows === null ? {} : { databases: toHostDatabases(rows, username) }),
}

/**
 * Parses the rows of an account's databases.
 *
 * @throws if a row is invalid, or its name is another account's
 */
export function toHostDatabases(rows: NonNullable<DatabaseRows>, username: string): HostDatabases {
  const only = (kind: 'databases' | 'users', which: string) =>
    rows[kind].flatMap(({ desired, ...row }) => (desired === which ? [row] : []))
  const parsed = HostDatabases.parse({
    ...(rows.reservedMb !== undefined && { reservedMb: rows.reservedMb }),
    ...(rows.mayWait !== undefined && { mayWait: rows.mayWait }),
    databases: only('databases', 'present'),
    users: only('users', 'present'),
    deleting: { databases: only('databases', 'absent'), users: only('users', 'absent') },
  })
  const { databases, users, deleting } = parsed
  const named = [...databases, ...users, ...deleting.databases, ...deleting.users]
  const foreign = named.find(one => one.name.slice(0, one.name.lastIndexOf('_')) !== username)
  if (foreign !== undefined) throw new Error(`${foreign.name} is not a name of ${username}`)
  return parsed
}

/**
 * Returns the names of the account's databases and users, including those that are being deleted.
 */
export const databasesOf = ({ databases: own }: { databases?: HostDatabases | undefined }) =>
  own === undefined
    ? []
    : [...own.databases, ...own.deleting.databases].flatMap(one => (one.isNew ? [] : [one.name]))
