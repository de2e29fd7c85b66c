import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/host-account.ts'
import type { HostDatabase, HostDatabases, HostDatabaseUser } from '../../model/host-databases.ts'
import type { Found, FoundUser } from './reading.ts'
import * as sql from './statements.ts'

/** What an account's users of databases may be. */
export type Wanted = {
  databases: HostDatabases
  connections: number
  isLocked: boolean
}

export const wantedOf = (account: HostAccount, databases: HostDatabases): Wanted => ({
  databases,
  connections: account.limits.databaseConnections,
  isLocked: account.wanted !== 'active',
})

/**
 * A statement, or a database to be dropped, and what it puts right, as drift tells it: nothing
 * where it only makes sure.
 */
export type Step = ({ statement: string } | { drops: string }) & { drift?: string }

/**
 * The statements that make MariaDB agree, in their order: who may not log in is locked and then
 * ended, in the other order it would come back between; databases come before their users, and
 * these before their rights.
 *
 * @throws {PanelError} `database_taken` where something of the name is a stranger's
 */
export function steps({ databases, connections, isLocked }: Wanted, found: Found): Step[] {
  const { users, leaving } = databases
  const of = (user: HostDatabaseUser) => found.users.get(user.name)
  const gone = leaving.users.filter(user => isOwnUser(user, of(user)))
  const closed = isLocked ? [...users.filter(user => isOwnUser(user, of(user))), ...gone] : gone
  const state = { connections, isLocked }
  const frozen = new Set(
    databases.databases.flatMap(({ name, isFrozen }) => (isFrozen ? [name] : [])),
  )
  return [
    ...closed.flatMap(({ name }) => close(name, found.users.get(name))),
    ...databases.databases.flatMap(database => ensureDatabase(database, found)),
    ...users.flatMap(user => ensureUser(user, state, of(user))),
    ...users.flatMap(user => ensureGrants(user, frozen, of(user))),
    ...databases.databases.flatMap(one => ensureInternal(one, { frozen, isLocked }, found)),
    ...users.flatMap(({ name }) => (isLocked ? [] : open(name, found.users.get(name)))),
    ...gone.map(({ name }) => ({
      statement: sql.dropUser(name),
      drift: `the database user ${name} is still there`,
    })),
    ...leaving.databases.flatMap(database => dropDatabase(database, found)),
  ]
}

// Also where it is locked already: a connection may have outlived that.
function close(name: string, found: FoundUser | undefined): Step[] {
  const drift = found?.isLocked ? {} : { drift: `the database user ${name} may log in` }
  return [{ statement: sql.lockUser(name, true), ...drift }, { statement: sql.killUser(name) }]
}

function isOwnUser(user: HostDatabaseUser, found: FoundUser | undefined): boolean {
  return found !== undefined && (!user.isNew || found.hash === user.hash)
}

function ensureDatabase(database: HostDatabase, found: Found): Step[] {
  const { name, isNew } = database
  const mark = found.databases.get(name)
  if (mark !== undefined && isNew && mark !== sql.markOf(database)) throw taken('database', name)
  if (mark !== undefined) return []
  return [{ statement: sql.createDatabase(database), drift: `there is no database ${name}` }]
}

function dropDatabase(database: HostDatabase, found: Found): Step[] {
  const { name, isNew } = database
  const mark = found.databases.get(name)
  if (mark === undefined || (isNew && mark !== sql.markOf(database))) return []
  const internal = sql.internalUserOf(database)
  const isThere = found.users.has(internal)
  return [
    ...(isThere ? [{ statement: sql.killUser(internal) }] : []),
    ...(isThere ? [{ statement: sql.dropUser(internal) }] : []),
    { drops: name, drift: `the database ${name} is still there` },
  ]
}

// The panel's own user of a database: locked, unless somebody has the database open in Adminer. (An
// import opens and locks it within its own operation.) What it has made fails without it.
function ensureInternal(
  database: HostDatabase,
  { frozen, isLocked }: { frozen: ReadonlySet<string>; isLocked: boolean },
  { users }: Found,
): Step[] {
  const name = sql.internalUserOf(database)
  const found = users.get(name)
  const hash = (isLocked ? undefined : database.openHash) ?? undefined
  const grants = [{ database: database.name, rights: 'all' as const }]
  const user = { name, hash: hash ?? '', isNew: false, isSet: true, grants }
  const lost = `there is no user ${name}, by whom the panel works in ${database.name}`
  const isOpen = hash !== undefined && found?.isLocked === false && found.hash === hash
  return [
    ...(found === undefined ? [{ statement: sql.ensureLockedUser(name), drift: lost }] : []),
    // Whoever had it open by another password is ended.
    ...(found === undefined || found.isLocked || isOpen ? [] : close(name, found)),
    ...ensureGrants(user, frozen, found),
    ...(hash === undefined || isOpen ? [] : letIn(user)),
  ]
}

const letIn = (user: HostDatabaseUser): Step[] => {
  const drift = `the user ${user.name} of Adminer may not log in`
  return [sql.setPassword(user), sql.lockUser(user.name, false)].map(statement => ({
    ...{ statement, drift },
  }))
}

function ensureUser(
  user: HostDatabaseUser,
  state: { connections: number; isLocked: boolean },
  found: FoundUser | undefined,
): Step[] {
  const { name } = user
  if (found === undefined) {
    return [{ statement: sql.createUser(user, state), drift: `there is no database user ${name}` }]
  }
  if (!isOwnUser(user, found)) throw taken('database user', name)
  const steps: Step[] = []
  // Whether another one was set since, its owner knows.
  if (!user.isSet && found.hash !== user.hash) {
    const drift = `the password of the database user ${name} differs`
    steps.push({ statement: sql.setPassword(user), drift })
    steps.push({ statement: sql.killUser(name) })
  }
  if (found.connections !== state.connections) {
    const drift = `the limits of the database user ${name} differ`
    steps.push({ statement: sql.limitUser(name, state.connections), drift })
  }
  return steps
}

function ensureGrants(
  user: HostDatabaseUser,
  frozen: ReadonlySet<string>,
  found: FoundUser | undefined,
): Step[] {
  const { name, grants } = user
  const drift = `the rights of the database user ${name} differ`
  const wanted = new Map(
    grants.map(({ database, rights }) => [sql.patternOf(database), { database, rights }]),
  )
  const foreign = [...(found?.grants.keys() ?? [])].filter(pattern => !wanted.has(pattern))
  return [
    ...foreign.map(pattern => ({ statement: sql.revoke(name, pattern), drift })),
    ...(foreign.length > 0 ? [{ statement: sql.killUser(name) }] : []),
    ...[...wanted].flatMap(([pattern, { database, rights }]) => {
      const due: readonly string[] = sql.rightsOf[rights].filter(
        right => !frozen.has(database) || sql.whereFull.has(right),
      )
      const has = found?.grants.get(pattern) ?? new Set()
      if (has.size === due.length && due.every(right => has.has(right))) return []
      const isMore = [...has].some(right => !due.includes(right))
      return [
        ...(isMore ? [{ statement: sql.revoke(name, pattern), drift }] : []),
        { statement: sql.grant(name, database, due), drift },
        // A connection that has the database selected goes by its old rights.
        ...(isMore ? [{ statement: sql.killUser(name) }] : []),
      ]
    }),
  ]
}

function open(name: string, found: FoundUser | undefined): Step[] {
  if (!found?.isLocked) return []
  const drift = `the database user ${name} may not log in`
  return [{ statement: sql.lockUser(name, false), drift }]
}

const taken = (what: string, name: string): PanelError =>
  new PanelError('database_taken', `There is a ${what} ${name} on this server already`)
