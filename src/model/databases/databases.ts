import { z } from 'zod'
import { all, type Db, maybeOne, one, type Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account as accountSubject, get, onAccount } from '../accounts/accounts.ts'
import type { Caller } from '../signing-in/callers.ts'
import { hashForMariaDb } from './database-passwords.ts'
import type { AccountSubject } from '../operations/operations.ts'

// An account's databases in MariaDB and the users that may use them. Their operations are in the
// account's lane and settle with it.

/** What operations write of them when they start and when they end. */
export const database = {
  ...{ ...accountSubject, find: 'find_database', writeDesired: 'write_desired_database' },
  about: z.object({
    database: z.string().nullable(),
    user: z.string().nullable(),
    rights: z.string().nullable(),
    importId: z.string().nullable(),
  }),
} satisfies AccountSubject<unknown>

/** What a customer chooses of a name, behind its own and an underscore. */
export const suffix = z
  .string()
  .regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits')

/** The whole name of a database or of a user. */
export const databaseName = z
  .string()
  .regex(/^[a-z0-9_-]{2,32}_[a-z0-9]{1,16}$/, 'must be the name of a database, such as alice_shop')

/** What a user may do with a database; `none` takes it away again. */
export const rights = z.enum(['all', 'read', 'none'], 'must be all, read or none')

/** As its owner sees it. */
export type Database = {
  database: string
  users: { user: string; rights: 'all' | 'read' }[]
}

export type DatabaseSize = { database: string; bytes: number; frozen: boolean }

/** The databases of an account, by name, with what each takes of the disk. */
export const ofAccount = (db: Db, accountId: string) =>
  all<Database & DatabaseSize>(db, 'list_databases')`${databasesOf(sql`${accountId}`)}`

/** The same as a part of a statement. */
export const databasesOf = (accountId: Sql): Sql => sql`
  select d.name as database, d.bytes::float8 as bytes, d.frozen_at is not null as frozen,
    coalesce((
      select json_agg(json_build_object('user', u.name, 'rights', g.rights) order by u.name)
      from panel.database_grants g join panel.database_users u on u.id = g.user_id
      where g.database_id = d.id and ${isThere('u')}), '[]') as users
  from panel.databases d
  where d.account_id = ${accountId} and ${isThere('d')}
  order by d.name`

/** The databases of an account that the caller sees. */
export async function list(db: Db, caller: Caller, username: string): Promise<Database[]> {
  const { id } = await get(db, caller, username)
  return (await ofAccount(db, id)).map(({ database, users }) => ({ database, users }))
}

/** What each database of an account that the caller sees takes of the disk. */
export async function listSizes(db: Db, caller: Caller, username: string): Promise<DatabaseSize[]> {
  const { id } = await get(db, caller, username)
  const found = await ofAccount(db, id)
  return found.map(({ database, bytes, frozen }) => ({ database, bytes, frozen }))
}

const isThere = (of: 'd' | 'u') =>
  of === 'd'
    ? sql`d.desired = 'present' and d.added_by is null`
    : sql`u.desired = 'present' and u.added_by is null`

/** It goes no further than its hash. */
type WithPassword = { password: string }

/** Makes a database and a user of the same name, who has all rights. */
export const create = onAccount<{ suffix: string } & WithPassword>({
  name: 'database/create',
  subject: ({ username, suffix }) => `${username}_${suffix}`,
  async decide(db, { desired, found, id }) {
    await requireServer(db)
    const hash = hashForMariaDb(desired.password)
    const added = await one<Added>(db)`
      select id, name, refusal, most
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

/** Gives back the room of what was deleted. */
export const optimize = onDatabase('database/optimize')

/** Carries out a dump that was put aside for the worker under a name. */
export const importDump = onAccount<{ database: string; id: string }>({
  name: 'database/import',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    const databaseId = await requireImport(db, found.id, desired.database)
    return { accountId: found.id, params: { database_id: databaseId, import: desired.id } }
  },
})

/** @throws {PanelError} why nothing can be imported into it now */
export async function requireImport(db: Db, accountId: string, name: string): Promise<string> {
  await requireServer(db)
  const databaseId = await databaseIdOf(db, accountId, name)
  if (await isOpen(db, databaseId)) throw openElsewhere(name)
  if (await isFrozen(db, databaseId)) throw full(name)
  return databaseId
}

/** Whether nothing may be written to it, as its account is full. */
export const isFrozen = (db: Db, databaseId: string): Promise<boolean> =>
  oneFirst<boolean>(db)`
    select frozen_at is not null from panel.databases where id = ${databaseId}`

/** A dump begins by dropping what it makes again, and nothing could be made. */
export const full = (name: string): PanelError =>
  new PanelError('invalid', `The disk is full: free space before importing a dump into ${name}`)

/** What an import has answered that is done: what of the dump was refused. */
export async function findImported(db: Db, operationId: string) {
  const body = await maybeOne<{ body: Buffer }>(db)`
    select body from panel.operations where id = ${operationId} and status = 200`
  return body && (JSON.parse(body.body.toString()) as { database: string; refused: string[] })
}

/** Whether somebody has it open in Adminer. */
export const isOpen = (db: Db, databaseId: string): Promise<boolean> =>
  oneFirst<boolean>(db)`select panel.is_open_in_adminer(${databaseId})`

/** Both work as the database's internal user, so that one of them has to wait. */
export const openElsewhere = (name: string): PanelError =>
  new PanelError('invalid', `${name} is open in Adminer: close it there, then try again`)

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
  /** Of one who is not there yet. */
  password?: string
  /** It is refused where there is one: its password would be another. */
  isNew?: true
}

/**
 * Says what a user may do with a database; one that is not there is made, and one that has no
 * database left goes.
 */
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
        select id, name, refusal, most
        from panel.add_database_user(${id}, ${found.id}, ${last}, ${hash})`
      if (added.refusal !== null) throw refusalOf(added, 'user')
      userId = added.id
    }
    const params = { database_id: databaseId, user_id: userId, rights: desired.rights }
    return { accountId: found.id, params }
  },
})

/** Whether the account has a user of that name by now, whose password stays as it is. */
export async function hasUser(
  db: Db,
  caller: Caller,
  { username, user }: { username: string; user: string },
): Promise<boolean> {
  const { id } = await get(db, caller, username)
  return (await findUser(db, id, user)) !== undefined
}

/** Why no database can be made or changed now; null where MariaDB answers. */
export const findWarning = (db: Db): Promise<string | null> =>
  oneFirst<string | null>(db)`select databases_warning from panel.server`

/** @throws {PanelError} `unavailable`, which is not stored: later it may be possible */
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

// What comes after the account's own name; what does not begin so is nobody's to choose.
async function suffixOf(db: Db, accountId: string, name: string): Promise<string> {
  const username = await oneFirst<string>(db)`
    select a.username from panel.accounts a where a.id = ${accountId}`
  const last = name.startsWith(`${username}_`) ? name.slice(username.length + 1) : ''
  if (suffix.safeParse(last).success) return last
  const words = `user must be ${username}_ and 1 to 16 lower-case letters and digits`
  throw new PanelError('invalid', words, { field: 'user' })
}

type Added =
  | { id: string; name: string; refusal: null; most: number }
  | { id: null; name: string; refusal: 'databases' | 'users' | 'taken' | 'deleting'; most: number }

type Refused = Added & { id: null }

function refusalOf({ refusal, name, most }: Refused, field: 'suffix' | 'user'): PanelError {
  const full = `The package allows ${counted(most)}, and the account already has that many`
  switch (refusal) {
    case 'databases':
      return new PanelError('too_many_databases', full)
    case 'users':
      return new PanelError(
        'invalid',
        `The account already has ${most} database users, the maximum`,
      )
    case 'taken':
      return new PanelError('database_taken', `${name} is taken`, { field })
    case 'deleting':
      // Not stored: it is done within moments.
      return new PanelError('unavailable', `${name} is still being removed; try again in a minute`)
  }
}

const counted = (count = 0): string => (count === 1 ? '1 database' : `${count} databases`)

export const unknown = (name: string): PanelError =>
  new PanelError('database_unknown', `Unknown database: ${name}`)

export const unknownUser = (name: string): PanelError =>
  new PanelError('database_unknown', `Unknown database user: ${name}`)

/** The users of accounts that may not log in, as far as their names are the account's. */
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
