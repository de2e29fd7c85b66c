import { passwordFrom } from '../../../model/databases/database-passwords.ts'
import { list, unknown, type Database } from '../../../model/databases/databases.ts'
import { draw, type PageRequest } from '../../page.ts'

// Shared parts of the pages of a customer's databases.

type Of = Pick<PageRequest, 'pool' | 'caller' | 'session'>

export const base = '/account/databases'

export const pathOf = (database: string): string => `${base}/${encodeURIComponent(database)}`

/** Returns the customer's databases. */
export const ownDatabases = ({ pool, caller, session }: Of): Promise<Database[]> =>
  list(pool, caller, session.name)

/**
 * Returns one of them, with the account's other users, who may not use it.
 *
 * @throws {PanelError} `database_unknown`
 */
export async function ownDatabase(request: Of, name: string) {
  const databases = await ownDatabases(request)
  const found = databases.find(({ database }) => database === name)
  if (found === undefined) throw unknown(name)
  const own = new Set(found.users.map(({ user }) => user))
  const all = new Set(databases.flatMap(({ users }) => users.map(({ user }) => user)))
  return { ...found, others: [...all].filter(user => !own.has(user)).sort(), databases }
}

/**
 * Returns the password that a form makes. It is not stored; the same form sent again, as by a
 * double click or a reload, gets the same one.
 */
export const passwordOf = ({ keys, key }: Pick<PageRequest, 'keys'> & { key: string }): string =>
  passwordFrom(keys.fingerprint('panel: a password of a database\n', key))

type Made = {
  title: string
  database: string
  user: string
  job: string | undefined
  /** The next page to visit. */
  back: string
}

/** Shows a new password, this once. */
export const showPassword = (given: PageRequest & { key: string }, made: Made) =>
  draw(given, 200, 'pages/databases/password', { ...made, password: passwordOf(given) })
