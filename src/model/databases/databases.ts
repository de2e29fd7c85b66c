import { z } from 'zod'
import { all, type Db, maybeOne, one, type Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account as accountSubject, get, onAccount } from '../accounts/accounts.ts'
import type { Caller } from '../signing-in/callers.ts'
import { hashForMariaDb } from './database-passwords.ts'
import type { AccountSubject } from '../operations/operations.ts'

// An account's databases in MariaDB and the users that may use them. Their operations are in the
// account's lane and complete with it.

/** The functions by which operations write databases and their users when they start and end. */
export const database = {
  ...{ ...accountSubject, find: 'find_database', writeDesired: 'write_desired_database' },
  about: z.object({
    database: z.string().nullable(),
    user: z.string().nullable(),
    rights: z.string().nullable(),
    importId: z.string().nullable(),
    importFile: z.string().nullable(),
  }),
} satisfies AccountSubject<unknown>

/** The part of a name that the customer chooses, after the username and an underscore. */
export const suffix = z
  .string()
  .regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits')

/** The full name of a database or of a database user. */
export const databaseName = z
  .string()
  .regex(/^[a-z0-9_-]{2,32}_[a-z0-9]{1,16}$/, 'must be a name such as alice_shop')

/** The rights of a user in a database; `none` revokes them. */
export const rights = z.enum(['all', 'read', 'none'], 'must be all, read or none')

/** A database as its customer sees it. */
export type Database = {
  database: string
  users: { user: string; rights: 'all' | 'read' }[]
}

export type DatabaseSize = { database: string; bytes: number; frozen: boolean }

/** Returns the databases of an account, by name, with the disk usage of each. */
export const ofAccount = (db: Db, accountId: string) =>
  all<Database & DatabaseSize>(db, 'list_databases')`${databasesOf(sql`${accountId}`)}`

/** Returns the query of an account's databases, for use inside a statement. */
export const databasesOf = (accountId: Sql): Sql => sql`
  select d.name as database, d.bytes::float8 as bytes, d.frozen_at is not null as frozen,
    coalesce((
      select json_agg(json_build_object('user', u.name, 'rights', g.rights) order by u.name)
      from panel.database_grants g join panel.database_users u on u.id = g.user_id
      where g.database_id = d.id and ${isThere('u')}), '[]') as users
  from panel.databases d
  where d.account_id = ${accountId} and ${isThere('d')}
  order by d.name`

/** Returns the databases of an account that the caller sees. */
export async function list(db: Db, caller: Caller, username: string): Promise<Database[]> {
  const { id } = await get(db, caller, username)
  return (await ofAccount(db, id)).map(({ database, users }) => ({ database, users }))
}

/** Returns the size of each database of an account that the caller sees. */
export async function listSizes(db: Db, caller: Caller, username: string): Promise<DatabaseSize[]> {
  const { id } = await get(db, caller, username)
  const found = await ofAccount(db, id)
  return found.map(({ database, bytes, frozen }) => ({ database, bytes, frozen }))
}

const isThere = (of: 'd' | 'u') =>
  of === 'd'
    ? sql`d.desired = 'present' and d.added_by is null`
    : sql`u.desired = 'present' and u.added_by is null`

/** The clear password goes no further than its hash. */
type WithPassword = { password: string }

/** Creates a database and a user of the same name with all rights. */
export const create = onAccount<{ suffix: string } & WithPassword>({
  name: 'database/create',
  subject: ({ username, suffix }) => `${username}_${suffix}`,
  async decide(db, { desired, found, id }) {
    await requireServer(db)
    const hash = hashForMariaDb(desired.password)
    const added = await one<Added>(db)`
      select id, name, refusal, allowed
      from panel.add_database(${id}, ${found.id}, ${desired.suffix}, ${hash})`
    if (added.refusal !== null) throw refusalOf(added, 'suffix')
    return { accountId: found.id, params: { database_id: added.id } }
  },
})

const onDatabase = (name: 'database/drop' | 'database/optimize') =>
  onAccount<{ database: string }>({
    name,
    subject: ({ database }) => database,
    async decide(db, { desired, found }) {
      await requireServer(db)
      const databaseId = await databaseIdOf(db, found.id, desired.database)
      return { accountId: found.id, params: { database_id: databaseId } }
    },
  })

export const drop = onDatabase('database/drop')

/** Reclaims the space of deleted rows. */
export const optimize = onDatabase('database/optimize')

/** Returns whether the database rejects writes because its account is full. */
export const isFrozen = (db: Db, databaseId: string): Promise<boolean> =>
  oneFirst<boolean>(db)`
    select frozen_at is not null from panel.databases where id = ${databaseId}`

/** Returns whether the database is open in Adminer. */
export const isOpen = (db: Db, databaseId: string): Promise<boolean> =>
  oneFirst<boolean>(db)`select panel.is_open_in_adminer(${databaseId})`

export const setPassword = onAccount<{ user: string } & WithPassword>({
  name: 'database/set-password',
  subject: ({ user }) => user,
  async decide(db, { desired, found }) {
    await requireServer(db)
    const hash = hashForMariaDb(desired.password)
    const userId = await findUser(db, found.id, desired.user)
    if (userId === undefined) throw unknownUser(desired.user)
    return { accountId: found.id, params: { user_id: userId, hash } }
  },
})

type Grant = {
  database: string
  user: string
  rights: z.infer<typeof rights>
  /** The password of a new user. */
  password?: string
  /** Refused if the user exists: its password would be another. */
  isNew?: true
}

/** Grants rights in a database; creates a missing user, deletes one with no database left. */
export const grant = onAccount<Grant>({
  name: 'database/grant',
  subject: ({ user, database, rights }) => `${user}, ${database}: ${rights}`,
  async decide(db, { desired, found, id }) {
    await requireServer(db)
    const databaseId = await databaseIdOf(db, found.id, desired.database)
    let userId = await findUser(db, found.id, desired.user)
    if (userId !== undefined && desired.isNew) {
      const words = `A database user ${desired.user} already exists`
      throw new PanelError('database_taken', words, { field: 'user' })
    }
    if (userId === undefined) {
      const { password } = desired
      if (desired.rights === 'none' || password === undefined) throw unknownUser(desired.user)
      const hash = hashForMariaDb(password)
      const last = await suffixOf(db, found.id, desired.user)
      const added = await one<Added>(db)`
        select id, name, refusal, allowed
        from panel.add_database_user(${id}, ${found.id}, ${last}, ${hash})`
      if (added.refusal !== null) throw refusalOf(added, 'user')
      userId = added.id
    }
    const params = { database_id: databaseId, user_id: userId, rights: desired.rights }
    return { accountId: found.id, params }
  },
})

/** Returns whether the account has a user of that name, whose password stays the same. */
export async function hasUser(
  db: Db,
  caller: Caller,
  { username, user }: { username: string; user: string },
): Promise<boolean> {
  const { id } = await get(db, caller, username)
  return (await findUser(db, id, user)) !== undefined
}

/** Returns why databases cannot be created or changed now; null if MariaDB answers. */
export const findWarning = (db: Db): Promise<string | null> =>
  oneFirst<string | null>(db)`select service_warnings ->> 'databases' from panel.server`

/** @throws {PanelError} `unavailable`, which is not stored: a repeat may succeed */
export async function requireServer(db: Db): Promise<void> {
  const warning = await findWarning(db)
  if (warning !== null) throw new PanelError('unavailable', warning)
}

/** @throws {PanelError} `database_unknown` */
export async function databaseIdOf(db: Db, accountId: string, name: string): Promise<string> {
  const row = await maybeOne<{ id: string }>(db)`
    select d.id from panel.databases d
    where d.account_id = ${accountId} and d.name = ${name} and ${isThere('d')}`
  if (row === undefined) throw unknown(name)
  return row.id
}

async function findUser(db: Db, accountId: string, name: string): Promise<string | undefined> {
  const row = await maybeOne<{ id: string }>(db)`
    select u.id from panel.database_users u
    where u.account_id = ${accountId} and u.name = ${name} and ${isThere('u')}`
  return row?.id
}

// Returns the part of a name after the username and underscore, or throws `invalid`.
async function suffixOf(db: Db, accountId: string, name: string): Promise<string> {
  const username = await oneFirst<string>(db)`
    select a.username from panel.accounts a where a.id = ${accountId}`
  const last = name.startsWith(`${username}_`) ? name.slice(username.length + 1) : ''
  if (suffix.safeParse(last).success) return last
  const words = `user must be ${username}_ and 1 to 16 lower-case letters and digits`
  throw new PanelError('invalid', words, { field: 'user' })
}

type Added =
  | { id: string; name: string; refusal: null; allowed: number }
  | {
      id: null
      name: string
      refusal: 'databases' | 'users' | 'taken' | 'deleting'
      allowed: number
    }

type Refused = Added & { id: null }

function refusalOf({ refusal, name, allowed }: Refused, field: 'suffix' | 'user'): PanelError {
  const full = `The package allows ${counted(allowed)}, and the account already has that many`
  switch (refusal) {
    case 'databases':
      return new PanelError('too_many_databases', full)
    case 'users':
      return new PanelError(
        'invalid',
        `The account already has ${allowed} database users, the maximum`,
      )
    case 'taken':
      return new PanelError('database_taken', `${name} is taken`, { field })
    case 'deleting':
      // Not stored: the removal takes moments.
      return new PanelError('unavailable', `${name} is still being removed; try again in a minute`)
  }
}

const counted = (count = 0): string => (count === 1 ? '1 database' : `${count} databases`)

export const unknown = (name: string): PanelError =>
  new PanelError('database_unknown', `Unknown database: ${name}`)

export const unknownUser = (name: string): PanelError =>
  new PanelError('database_unknown', `Unknown database user: ${name}`)

/** Lists the users of accounts that may not log in; names of another form are left out. */
export async function listLocked(db: Db): Promise<string[]> {
  const rows = await all<{ name: string; username: string }>(db)`
    select u.name, a.username
    from panel.database_users u
    join panel.accounts a on a.id = u.account_id
    where a.desired <> 'active' and u.desired <> 'reserved' and u.added_by is null
    order by u.id`
  return rows.flatMap(({ name, username }) =>
    name.slice(0, name.lastIndexOf('_')) === username
      ? (databaseName.safeParse(name).data ?? [])
      : [],
  )
}
