import type { HostDatabase, HostDatabaseUser } from '../../model/databases/host-databases.ts'

// Statements for MariaDB. They contain only names and hashes that have passed their grammar, which
// allows no quote, backtick or backslash.

/** A user of the socket: no login from elsewhere is possible. */
export const userOf = (name: string): string => `'${name}'@'localhost'`

/**
 * A comment that distinguishes a database made for a row from an unmanaged one of the same name.
 */
export const markOf = ({ id }: Pick<HostDatabase, 'id'>): string => `panel ${id}`

/** In a grant, `_` matches any character: unescaped it would match other accounts' databases. */
export const patternOf = (database: string): string => database.replaceAll('_', '\\_')

const onDatabase = (database: string): string => `\`${patternOf(database)}\`.*`

/** The rights of users, by the names of MariaDB's columns; never GRANT OPTION, EVENT or all. */
export const rightsOf = {
  all: [
    ...['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'INDEX', 'ALTER', 'REFERENCES'],
    ...['LOCK TABLES', 'CREATE TEMPORARY TABLES', 'CREATE VIEW', 'SHOW VIEW', 'TRIGGER'],
    ...['CREATE ROUTINE', 'ALTER ROUTINE', 'EXECUTE'],
  ],
  read: ['SELECT', 'SHOW VIEW'],
} as const

/** The rights that remain in a database that may not grow: reading, and making it smaller. */
export const whereFull: ReadonlySet<string> = new Set([
  ...['SELECT', 'DELETE', 'DROP', 'LOCK TABLES', 'SHOW VIEW', 'EXECUTE', 'ALTER ROUTINE'],
])

/** Returns the column of mysql.db for a right. */
export const columnOf = (right: string): string =>
  columns[right] ??
  `${right
    .toLowerCase()
    .replaceAll(/\b[a-z]/g, up)
    .replaceAll(' ', '_')}_priv`

const up = (letter: string): string => letter.toUpperCase()
const columns: Record<string, string> = {
  'CREATE TEMPORARY TABLES': 'Create_tmp_table_priv',
  'LOCK TABLES': 'Lock_tables_priv',
  'CREATE VIEW': 'Create_view_priv',
  'SHOW VIEW': 'Show_view_priv',
  'CREATE ROUTINE': 'Create_routine_priv',
  'ALTER ROUTINE': 'Alter_routine_priv',
}

export const createDatabase = (database: HostDatabase): string =>
  `CREATE DATABASE \`${database.name}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci ` +
  `COMMENT '${markOf(database)}'`

/** Maximum wait for a connection that has a lock on one of its tables. */
export const dropDatabase = (name: string): string =>
  `SET STATEMENT lock_wait_timeout = 5, innodb_lock_wait_timeout = 5 FOR ` +
  `DROP DATABASE IF EXISTS \`${name}\``

type Login = Pick<HostDatabaseUser, 'name' | 'hash'>
type State = { connections: number; isLocked: boolean }

const byPassword = (hash: string): string => `IDENTIFIED VIA mysql_native_password USING '${hash}'`

export const createUser = ({ name, hash }: Login, { connections, isLocked }: State): string =>
  `CREATE USER ${userOf(name)} ${byPassword(hash)} WITH MAX_USER_CONNECTIONS ${connections} ` +
  `ACCOUNT ${isLocked ? 'LOCK' : 'UNLOCK'}`

export const setPassword = ({ name, hash }: Login): string =>
  `ALTER USER ${userOf(name)} ${byPassword(hash)}`

export const limitUser = (name: string, connections: number): string =>
  `ALTER USER ${userOf(name)} WITH MAX_USER_CONNECTIONS ${connections}`

export const lockUser = (name: string, isLocked: boolean): string =>
  `ALTER USER ${userOf(name)} ACCOUNT ${isLocked ? 'LOCK' : 'UNLOCK'}`

/**
 * The user that the panel itself uses in a database: no account is called `panel`. It is kept, as
 * views and routines that it made belong to it.
 */
export const internalUserOf = ({ id }: Pick<HostDatabase, 'id'>): string => `panel_${id}`

export const ensureLockedUser = (name: string): string =>
  `CREATE USER IF NOT EXISTS ${userOf(name)} IDENTIFIED VIA mysql_native_password ` +
  `USING 'invalid' ACCOUNT LOCK`

/** Ends everything that the user does, in the middle of a statement too. */
export const killUser = (name: string): string => `KILL HARD CONNECTION USER ${userOf(name)}`

export const killConnection = (id: number): string => `KILL HARD CONNECTION ${id}`

/** Rolls back a prepared transaction; `xid` as XA RECOVER prints it. */
export const rollBack = (xid: string): string => `XA ROLLBACK ${xid}`

export const dropUser = (name: string): string => `DROP USER IF EXISTS ${userOf(name)}`

export const grant = (users: string[], database: string, rights: readonly string[]): string =>
  `GRANT ${rights.join(', ')} ON ${onDatabase(database)} TO ${users.map(userOf).join(', ')}`

export const revoke = (user: string, pattern: string): string =>
  `REVOKE ALL PRIVILEGES ON \`${pattern.replaceAll('`', '``')}\`.* FROM ${userOf(user)}`

const among = (column: string, names: readonly string[] | undefined): string => {
  if (names === undefined) return ''
  const list = names.map(name => `'${name}'`)
  return ` AND ${column} IN (${list.length === 0 ? 'NULL' : list.join(', ')})`
}

/** Returns the connections that have the database selected. */
export const readConnected = (database: string): string =>
  `SELECT ID AS id FROM information_schema.PROCESSLIST WHERE DB = '${database}'`

/**
 * Returns the size of its routines: MariaDB keeps each twice. The statement times out before the
 * client gives up.
 */
export const readRoutines = (database: string): string =>
  `SET STATEMENT max_statement_time = 1 FOR ` +
  `SELECT COALESCE(SUM(LENGTH(body) + LENGTH(body_utf8)), 0) AS bytes ` +
  `FROM mysql.proc WHERE db = '${database}'`

/** Names of databases and of users. */
export type Names = { databases: readonly string[]; users: readonly string[] }

/**
 * Reads databases with their comments and users with their rights, as text, for these names or all.
 * Each database is queried separately: MariaDB looks up a single name, but for a list of names it
 * reads the folders of all databases on the server.
 */
export function readNames(names?: Names): string {
  const { databases = [] } = names ?? {}
  const each = databases.map(name => `${ofDatabases} WHERE SCHEMA_NAME = '${name}'`)
  return [
    ...(names === undefined || each.length > 500 ? [ofDatabases] : each),
    `${ofUsers} WHERE Host = 'localhost'${among('User', names?.users)}`,
  ].join(' UNION ALL ')
}

const asText = (column: string): string => `CONVERT(${column} USING utf8mb4)`
const ofKind = (kind: string, name: string, value: string): string =>
  `SELECT '${kind}' AS kind, ${asText(name)} AS name, ${asText(value)} AS value`
const ofDatabases =
  ofKind('database', 'SCHEMA_NAME', 'SCHEMA_COMMENT') + ' FROM information_schema.SCHEMATA'
const ofUsers = ofKind('user', 'User', 'Priv') + ' FROM mysql.global_priv'

export const readGrants = (names?: readonly string[]): string =>
  `SELECT * FROM mysql.db WHERE Host = 'localhost'${among('User', names)}`
