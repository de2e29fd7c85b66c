import { z } from 'zod'
import type { HostPart } from '../operations/resource-kind.ts'

// An account's part of MariaDB as its rows say, judged again by grammar: its names become SQL.

const name = z.string().regex(/^[a-z][a-z0-9_-]{1,31}_[a-z0-9]{1,16}$/)
const hash = z.string().regex(/^\*[0-9A-F]{40}$/)

const Database = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  name,
  /** It may be a stranger's on the machine: only what is marked with its number is this one. */
  isNew: z.boolean(),
  /** Nothing may be written to it: the account is full. */
  isFrozen: z.boolean().optional(),
  /** What its internal user logs in with while it is open in Adminer. */
  openHash: hash.nullish(),
})

const User = z.strictObject({
  name,
  hash,
  /** The same: only one with this hash is this one. */
  isNew: z.boolean(),
  /** Whether the machine has been given the hash; since then its owner may have set another. */
  isSet: z.boolean(),
  grants: z.array(z.strictObject({ database: name, rights: z.enum(['all', 'read']) })),
})

export const HostDatabases = z.strictObject({
  /** What they take of the package's disk, which the home does not get. */
  reservedMb: z.int().min(0).max(10_000_000).optional(),
  /** Whether what only MariaDB can do may be done later, where it is down. */
  mayWait: z.boolean().optional(),
  databases: z.array(Database),
  users: z.array(User),
  /** Of which nothing may be left. */
  deleting: z.strictObject({ databases: z.array(Database), users: z.array(User) }),
})

export type HostDatabases = z.infer<typeof HostDatabases>
export type HostDatabase = z.infer<typeof Database>
export type HostDatabaseUser = z.infer<typeof User>

/** What `panel.account_databases` tells; null of an account that has none. */
export type DatabaseRows =
  | (Record<'databases' | 'users', (object & { desired?: string })[]> & {
      reservedMb?: number
      mayWait?: boolean
    })
  | null

const shape = {
  /** Left out of an account that has none. */
  databases: HostDatabases.optional(),
}

export const hostDatabases: HostPart<DatabaseRows, typeof shape> = {
  shape,
  of: (rows, username) => (rows === null ? {} : { databases: toHostDatabases(rows, username) }),
}

/** @throws where a row does not fit, or is named like another account's */
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

/** The names of what is, or was, the account's own. */
export const databasesOf = ({ databases: own }: { databases?: HostDatabases | undefined }) =>
  own === undefined
    ? []
    : [...own.databases, ...own.deleting.databases].flatMap(one => (one.isNew ? [] : [one.name]))
