import type { Socket } from 'node:net'
import { PanelError } from '../../errors.ts'

// The worker's connection to MariaDB, over its Unix socket: MariaDB authenticates root by its
// system user, so there is no password to keep. Statements run one after another on it, and none
// relies on another's session. A statement that may wait for one customer has a connection of its
// own, so that others do not wait.

export type Row = Record<string, unknown>

export type MariaDbClient = { query(statement: string): Promise<Row[]> }

// A server that hangs or was stopped must not delay an operation for longer.
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

  // A statement that was given up may still be in progress, as on a full disk, where it waits for
  // space: it would finish after a newer one and overwrite its result. Killing it could leave a
  // table broken.
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
  // Imported only when needed: a worker without databases is 10 MB smaller.
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({
    ...where,
    connectTimeout: connectMs,
    multipleStatements: false,
    supportBigNumbers: true,
  })
  // When the connection is lost, the library fails only the current statement, not those queued
  // after it.
  const waiting = new Set<(error: Error) => void>()
  const lose = (): void => {
    onLost()
    connection.destroy()
    for (const reject of waiting) reject(new Error('The connection was lost'))
  }
  // A lost connection fails its statements; without a listener it would end the process.
  connection.on('error', lose)
  connection.on('end', lose)
  // An open connection does not keep a command from ending.
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

// After a restart of the server the id may belong to another connection.
const findGivenUp = (id: number): string =>
  `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${id} AND COMMAND = 'Query' ` +
  `AND USER = SUBSTRING_INDEX(CURRENT_USER(), '@', 1) AND TIME >= ${statementMs / 1_000 - 1}`

// Names contain no capitals.
const isDrop = (sql: string): boolean => sql.includes(' DROP DATABASE ')
const timeoutOf = (sql: string): number => (isDrop(sql) ? dropMs : statementMs)

function fail(error: unknown): never {
  if (isRefused(error)) throw refused(error)
  throw new PanelError('unavailable', notAnswering, { cause: withoutStatement(error) })
}

/** The warning for accounts with databases, and the error for requests to change them. */
export const notAnswering = 'MariaDB does not answer: databases cannot be changed now'

/** A statement that MariaDB refused. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** MariaDB's own number; the name for it may mean something else in MySQL. */
  readonly errno: number

  constructor(errno: number, message: string) {
    super(`MariaDB refused a statement (${errno}): ${message}`)
    this.errno = errno
  }
}

type Refused = { errno: number; sqlState: string; sqlMessage: string; message: string }

// Recognizes errors that leave the connection usable: too many connections, or a shutdown, is not
// an answer to a statement.
const isRefused = (error: unknown): error is Refused => {
  const { errno, sqlState, fatal } = error as Partial<Refused> & { fatal?: boolean }
  return typeof errno === 'number' && typeof sqlState === 'string' && fatal !== true
}

// The library's own error contains the statement, which may contain a hash.
const refused = ({ errno, sqlMessage }: Refused) => new StatementError(errno, sqlMessage)
const withoutStatement = (error: unknown): Error =>
  new Error(error instanceof Error ? error.message : String(error))
