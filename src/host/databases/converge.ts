import { PanelError } from '../../errors.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type {
  HostDatabase,
  HostDatabases,
  HostDatabaseUser,
} from '../../model/databases/host-databases.ts'
import type { Found, FoundUser } from './reading.ts'
import * as sql from './statements.ts'

/** The desired state of an account's database users. */
export type Desired = {
  databases: HostDatabases
  connections: number
  isLocked: boolean
}

export const desiredOf = (account: HostAccount, databases: HostDatabases): Desired => ({
  databases,
  connections: account.limits.databaseConnections,
  isLocked: account.desired !== 'active',
})

/**
 * A statement, or a database to drop, with the drift that it corrects; no drift if it only makes
 * sure.
 */
export type Step = ({ statement: string } | { drops: string }) & { drift?: string | string[] }

/**
 * Returns the statements that make MariaDB agree, in order: a user who may not log in is first
 * locked and then disconnected, as in the other order it would reconnect in between; databases come
 * before their users, and these before their rights.
 *
 * @throws {PanelError} `database_taken` if something of that name is not the account's
 */
export function steps({ databases, connections, isLocked }: Desired, found: Found): Step[] {
  const { users, deleting } = databases
  const of = (user: { name: string }) => found.users.get(user.name)
  const gone = deleting.users.filter(user => isOwnUser(user, of(user)))
  const closed = isLocked ? [...users.filter(user => isOwnUser(user, of(user))), ...gone] : gone
  const state = { connections, isLocked }
  const frozen = new Set(
    databases.databases.flatMap(({ name, isFrozen }) => (isFrozen ? [name] : [])),
  )
  const internal = databases.databases.map(database => internalOf(database, isLocked))
  return [
    ...closed.flatMap(({ name }) => close(name, found.users.get(name))),
    ...databases.databases.flatMap(database => ensureDatabase(database, found)),
    ...users.flatMap(user => ensureUser(user, state, of(user))),
    ...internal.flatMap(user => ensureInternal(user, of(user))),
    ...ensureGrants([...users, ...internal], frozen, found),
    ...internal.flatMap(user => letIn(user, of(user))),
    ...users.flatMap(({ name }) => (isLocked ? [] : open(name, found.users.get(name)))),
    ...gone.map(({ name }) => ({
      statement: sql.dropUser(name),
      drift: `the database user ${name} is still there`,
    })),
    ...deleting.databases.flatMap(database => dropDatabase(database, found)),
  ]
}

// Also if it is already locked: a connection may have outlived that.
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
  if (mark !== undefined && isNew && mark !== sql.markOf(database))
    throw taken('database', name, 'suffix')
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

type Rights = Pick<HostDatabaseUser, 'name' | 'grants'>
type Internal = Rights & { database: string; openHash: string | undefined }

// Returns the panel's internal user of a database: locked, unless the database is open in Adminer.
// (An import unlocks and locks it within its own operation.) Objects that this user made would fail
// without it.
const internalOf = (database: HostDatabase, isLocked: boolean): Internal => ({
  name: sql.internalUserOf(database),
  database: database.name,
  grants: [{ database: database.name, rights: 'all' }],
  openHash: isLocked ? undefined : (database.openHash ?? undefined),
})

const isOpen = ({ openHash }: Internal, found: FoundUser | undefined): boolean =>
  openHash !== undefined && found?.isLocked === false && found.hash === openHash

function ensureInternal(user: Internal, found: FoundUser | undefined): Step[] {
  const { name, database } = user
  if (found === undefined) {
    const drift = `there is no internal user ${name} for the database ${database}`
    return [{ statement: sql.ensureLockedUser(name), drift }]
  }
  // Sessions that opened it with another password are ended.
  return found.isLocked || isOpen(user, found) ? [] : close(name, found)
}

function letIn(user: Internal, found: FoundUser | undefined): Step[] {
  const { name, openHash: hash } = user
  if (hash === undefined || isOpen(user, found)) return []
  const drift = `the Adminer user ${name} may not log in`
  return [sql.setPassword({ name, hash }), sql.lockUser(name, false)].map(statement => ({
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
  if (!isOwnUser(user, found)) throw taken('database user', name, 'user')
  const steps: Step[] = []
  // The account's owner knows whether they have set another password since.
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

// A user without rights in a database gets them together with others that get the same.
function ensureGrants(users: readonly Rights[], frozen: ReadonlySet<string>, found: Found): Step[] {
  const first = new Map<string, { names: string[]; database: string; due: readonly string[] }>()
  const changed = users.flatMap(({ name, grants }): Step[] => {
    const has = found.users.get(name)?.grants ?? new Map<string, Set<string>>()
    const drift = driftOf(name)
    const own = new Set(grants.map(({ database }) => sql.patternOf(database)))
    const foreign = [...has.keys()].filter(pattern => !own.has(pattern))
    return [
      ...foreign.map(pattern => ({ statement: sql.revoke(name, pattern), drift })),
      ...(foreign.length > 0 ? [{ statement: sql.killUser(name) }] : []),
      ...grants.flatMap(({ database, rights }): Step[] => {
        const due = dueOf(rights, frozen.has(database))
        const now = has.get(sql.patternOf(database))
        if (now !== undefined) return changeRights(name, { database, due, now })
        const key = `${database} ${due.join()}`
        const { names } = first.get(key) ?? { names: [] }
        first.set(key, { names: [...names, name], database, due })
        return []
      }),
    ]
  })
  const given = [...first.values()].map(({ names, database, due }) => ({
    statement: sql.grant(names, database, due),
    drift: names.map(driftOf),
  }))
  return [...changed, ...given]
}

const driftOf = (name: string): string => `the rights of the database user ${name} differ`

const dueOf = (rights: 'all' | 'read', isFrozen: boolean): string[] =>
  sql.rightsOf[rights].filter(right => !isFrozen || sql.whereFull.has(right))

function changeRights(
  name: string,
  { database, due, now }: { database: string; due: readonly string[]; now: ReadonlySet<string> },
): Step[] {
  if (now.size === due.length && due.every(right => now.has(right))) return []
  const drift = driftOf(name)
  const given = { statement: sql.grant([name], database, due), drift }
  if ([...now].every(right => due.includes(right))) return [given]
  return [
    { statement: sql.revoke(name, sql.patternOf(database)), drift },
    given,
    // A connection that has the database selected keeps its old rights.
    { statement: sql.killUser(name) },
  ]
}

function open(name: string, found: FoundUser | undefined): Step[] {
  if (!found?.isLocked) return []
  const drift = `the database user ${name} may not log in`
  return [{ statement: sql.lockUser(name, false), drift }]
}

const taken = (what: string, name: string, field: string): PanelError =>
  new PanelError('database_taken', `A ${what} ${name} already exists on this server`, { field })
