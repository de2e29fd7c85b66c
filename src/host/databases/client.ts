import type { Socket } from 'node:net'
import { PanelError } from '../../errors.ts'

// The worker's connection to MariaDB, over its Unix socket: root is who it is by its user, so that
// there is no password to be kept. Statements follow each other on it, and none relies on another's
// session. What may wait for one customer has a connection of its own, so that no other waits too.

export type Row = Record<string, unknown>

export type MariaDbClient = { query(statement: string): Promise<Row[]> }

// A server that hangs, or was stopped, must not keep an operation for longer.
const connectMs = 5_000
const statementMs = 10_000
// Each of a database's tables is a file to be removed.
const dropMs = 120_000

/** Connects at the first statement, and again at the next one after the connection was lost. */
export function openClient(socketPath: string, user: string): MariaDbClient {
  let current: Promise<Session> | undefined
  const givenUp = new Set<number>()

  const open = (): Promise<Session> => {
    const opened = connect({ socketPath, user }, () => {
      if (current === opened) current = undefined
    }).then(async session => {
      try {
        await forgetEnded(session)
        return session
      } catch (error) {
        session.lose()
        throw error
      }
    })
    return opened
  }

  // What was given up may be in progress still, as on a full disk, where it waits for room: it
  // would end behind whatever has taken its place. Ended by us, it could leave a table broken.
  const forgetEnded = async ({ query }: Session): Promise<void> => {
    for (const id of givenUp) {
      if ((await query(findGivenUp(id))).length > 0)
        throw new Error('A statement is still in progress')
      givenUp.delete(id)
    }
  }

  const dropAlone = async (sql: string): Promise<Row[]> => {
    const session = await connect({ socketPath, user }, () => undefined)
    try {
      return await session.query(sql)
    } finally {
      session.lose()
    }
  }

  return {
    async query(sql) {
      if (isDrop(sql)) return dropAlone(sql).catch(fail)
      const asked = (current ??= open())
      try {
        return await (await asked).query(sql)
      } catch (error) {
        if (!isRefused(error)) {
          if (current === asked) current = undefined
          void asked.then(({ id, lose }) => (givenUp.add(id), lose())).catch(() => undefined)
        }
        return fail(error)
      }
    },
  }
}

type Session = { id: number; query: (sql: string) => Promise<Row[]>; lose: () => void }

async function connect(
  where: { socketPath: string; user: string },
  onLost: () => void,
): Promise<Session> {
  // Read where it is needed: a worker without databases is 10 MB smaller.
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({
    ...where,
    connectTimeout: connectMs,
    multipleStatements: false,
    supportBigNumbers: true,
  })
  // The library tells nobody who waits behind the statement that a connection was lost with.
  const waiting = new Set<(error: Error) => void>()
  const lose = (): void => {
    onLost()
    connection.destroy()
    for (const reject of waiting) reject(new Error('The connection was lost'))
  }
  // A lost connection fails its statements; without a listener it would end the process.
  connection.on('error', lose)
  connection.on('end', lose)
  // A command that has asked ends although it is open.
  ;(connection as unknown as { connection: { stream: Socket } }).connection.stream.unref()
  return {
    id: connection.threadId,
    lose,
    query: sql =>
      new Promise((resolve, reject) => {
        waiting.add(reject)
        void connection
          .query({ sql, timeout: timeoutOf(sql) })
          .then(([rows]) => resolve(Array.isArray(rows) ? (rows as Row[]) : []), reject)
          .finally(() => waiting.delete(reject))
      }),
  }
}

// After a new start of the server the number may be somebody else's.
const findGivenUp = (id: number): string =>
  `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${id} AND COMMAND = 'Query' ` +
  `AND USER = SUBSTRING_INDEX(CURRENT_USER(), '@', 1) AND TIME >= ${statementMs / 1_000 - 1}`

// Names have no capitals.
const isDrop = (sql: string): boolean => sql.includes(' DROP DATABASE ')
const timeoutOf = (sql: string): number => (isDrop(sql) ? dropMs : statementMs)

function fail(error: unknown): never {
  if (isRefused(error)) throw refused(error)
  throw new PanelError('unavailable', notAnswering, { cause: withoutStatement(error) })
}

/** What accounts with databases, and who asks for a change of them, are told. */
export const notAnswering = 'MariaDB does not answer: databases cannot be changed now'

/** A statement that MariaDB has refused. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** MariaDB's own; its name may be another one's of MySQL. */
  readonly errno: number

  constructor(errno: number, message: string) {
    super(`MariaDB refused a statement (${errno}): ${message}`)
    this.errno = errno
  }
}

type Refused = { errno: number; sqlState: string; sqlMessage: string; message: string }

// What the server tells, and leaves the connection as it was: that there are too many, or that it
// shuts down, is no answer to a statement.
const isRefused = (error: unknown): error is Refused => {
  const { errno, sqlState, fatal } = error as Partial<Refused> & { fatal?: boolean }
  return typeof errno === 'number' && typeof sqlState === 'string' && fatal !== true
}

// The library's own error has the statement, in which there may be a hash.
const refused = ({ errno, sqlMessage }: Refused) => new StatementError(errno, sqlMessage)
const withoutStatement = (error: unknown): Error =>
  new Error(error instanceof Error ? error.message : String(error))
