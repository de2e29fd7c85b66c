import type { Socket } from 'node:net'
import type { Connection } from 'mysql2/promise'
import { PanelError } from '../../errors.ts'

// The worker's one connection to MariaDB, over its Unix socket: root is who it is by its user, so
// that there is no password to be kept. Statements follow each other on it, and none relies on
// another's session.

export type Row = Record<string, unknown>

export type MariaDbClient = { query(statement: string): Promise<Row[]> }

// A server that hangs, or was stopped, must not keep an operation for longer.
const connectMs = 5_000
const statementMs = 10_000
// Each of a database's tables is a file to be removed.
const dropMs = 120_000

/** Connects at the first statement, and again at the next one after the connection was lost. */
export function openClient(socketPath: string, user: string): MariaDbClient {
  let current: Promise<Connection> | undefined

  const connect = async (): Promise<Connection> => {
    // Read where it is needed: a worker without databases is 10 MB smaller.
    const { createConnection } = await import('mysql2/promise')
    const connection = await createConnection({
      socketPath,
      user,
      connectTimeout: connectMs,
      multipleStatements: false,
      supportBigNumbers: true,
    })
    // A lost connection fails its own statement; without a listener it would end the process.
    connection.on('error', forget)
    // A command that has asked ends although it is open.
    ;(connection as unknown as { connection: { stream: Socket } }).connection.stream.unref()
    connection.on('end', forget)
    return connection
  }
  const forget = () => (current = undefined)

  return {
    async query(sql) {
      const asked = (current ??= connect())
      try {
        const connection = await asked
        const [rows] = await connection.query({ sql, timeout: timeoutOf(sql) })
        return Array.isArray(rows) ? (rows as Row[]) : []
      } catch (error) {
        if (isRefused(error)) throw refused(error)
        if (current === asked) forget()
        void asked.then(connection => connection.destroy()).catch(() => undefined)
        throw new PanelError('unavailable', notAnswering, { cause: withoutStatement(error) })
      }
    },
  }
}

const timeoutOf = (sql: string): number => (sql.startsWith('DROP DATABASE') ? dropMs : statementMs)

/** What accounts with databases, and who asks for a change of them, are told. */
export const notAnswering = 'MariaDB does not answer: databases cannot be changed now'

/** A statement that MariaDB has refused. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** MariaDB's own; its name may be another one's of MySQL. */
  readonly errno: number

  constructor(errno: number, message: string) {
    super(`MariaDB has refused a statement (${errno}): ${message}`)
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
