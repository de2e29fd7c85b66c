import pg from 'pg'
import { log } from './log.ts'

/** Each process logs in as its own role, with the privileges of that role. */
export type Role = 'panel_owner' | 'panel_api' | 'panel_worker' | 'panel_courier'

/** Runs statements: a pool, or a client inside a transaction. */
export type Db = Pick<pg.Pool, 'query'>
export type Transaction = pg.PoolClient
export type Pool = pg.Pool

const limits = {
  // A request must be answered 503 rather than hang: short for connecting, locking and idling.
  connectionTimeoutMillis: 5_000,
  statement_timeout: 13_000,
  // Longer than the server's own limit, for a server that no longer answers at all.
  query_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 15_000,
}

// A dead network reports nothing. Both ends notice within 15 s that the other one is gone: an idle
// one by keepalives, PostgreSQL by unacknowledged data, this process by missing answers
// (`query_timeout`, the heartbeat in src/queue/locks.ts). Node sends a keepalive after this time
// without data, and nine more, one a second. On a Unix socket PostgreSQL ignores its settings.
const keepAliveInitialDelayMillis = 4_000
const settings = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '14000',
  // Debian's PostgreSQL compiles statements that it estimates as costly; the embedded one cannot.
  // That turns some statements of a millisecond into ones of half a second.
  jit: 'off',
}
const allSettings = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/**
 * Returns the connection settings that act as `role`. An address without a user logs in as `login`,
 * which is the role itself for a process; an address with one switches to the role after its login.
 */
export function connection(url: string, login: Role, role: Role | null = login): pg.ClientConfig {
  const address = new URL(url)
  if (address.username === '') address.username = login
  return {
    connectionString: address.href,
    application_name: login,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    options: role === null ? allSettings : `${allSettings} -c role=${role}`,
  }
}

/** Opens one connection outside a pool; the caller listens for its end if that matters. */
export function openClient(config: pg.ClientConfig): pg.Client {
  const client = new Client({
    connectionTimeoutMillis: limits.connectionTimeoutMillis,
    ...config,
  })
  // A lost connection fails its own query; without a listener it would end the process as well.
  client.on('error', () => undefined)
  return client
}

/** Opens a connection that closes at the end of the caller's `await using` block. */
export async function connect(config: pg.ClientConfig): Promise<pg.Client & AsyncDisposable> {
  const client = openClient(config)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/**
 * A connection that sends the statements of one turn of the event loop together. A separate write
 * for each would wake the server, and cost a system call on both sides.
 */
class Client extends pg.Client {
  #isGathering = false

  override query = ((...given: unknown[]) => {
    this.#gather()
    return Reflect.apply(pg.Client.prototype.query, this, given)
  }) as pg.Client['query']

  #gather(): void {
    if (this.#isGathering) return
    const { stream } = this.connection
    this.#isGathering = true
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }
}

/** Opens a pool of connections of one role. Close it with `end()`. */
export function openPool(url: string, role: Role, max: number, settings = ''): Pool {
  const { options, ...base } = connection(url, role)
  const pool = new pg.Pool({
    ...base,
    ...limits,
    options: `${options} ${settings}`,
    max,
    idleTimeoutMillis: 60_000,
    Client,
    // Statements are sent without waiting for earlier answers, which come in the same order.
    pipeline: true,
  })
  // A lost connection fails its own query; without listeners it would end the process as well.
  pool.on('connect', client => client.on('error', () => undefined))
  pool.on('error', error => log.error('database connection lost', error, { role }))
  return pool
}

/**
 * Runs `work` in one transaction; an exception rolls the transaction back. A statement passed to
 * `alongside` is not awaited before the commit is sent, but must succeed too.
 */
export async function transaction<T>(
  pool: Pool,
  work: (transaction: Transaction, alongside: (statement: Promise<unknown>) => void) => Promise<T>,
): Promise<T> {
  if (pool instanceof Within) return pool.part(work)
  const client = await pool.connect()
  let broken: Error | undefined
  // All are awaited below; until then a rejection must not count as unhandled.
  const sent: Promise<unknown>[] = []
  const alongside = (statement: Promise<unknown>) => {
    statement.catch(() => undefined)
    sent.push(statement)
  }
  try {
    alongside(client.query('begin'))
    const result = await work(client, alongside)
    // A commit after a failed statement rolls back; the statement's error says so.
    alongside(client.query('commit'))
    await Promise.all(sent)
    return result
  } catch (error) {
    // A connection that cannot even roll back is discarded with its transaction.
    if (isSilence(error)) broken = error
    else await client.query('rollback').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Returns a pool over one transaction's connection: its transactions are parts of that one. */
export const poolWithin = (client: Transaction): Pool => new Within(client) as unknown as Pool

class Within {
  readonly #client: Transaction
  readonly query: Transaction['query']

  constructor(client: Transaction) {
    this.#client = client
    this.query = client.query.bind(client) as Transaction['query']
  }

  /** An exception rolls back only this part. */
  async part<T>(work: Parameters<typeof transaction<T>>[1]): Promise<T> {
    const sent: Promise<unknown>[] = []
    await this.#client.query('savepoint part')
    try {
      const result = await work(this.#client, statement => sent.push(statement))
      await Promise.all(sent)
      await this.#client.query('release savepoint part')
      return result
    } catch (error) {
      await Promise.allSettled(sent)
      await this.#client.query('rollback to savepoint part; release savepoint part')
      throw error
    }
  }
}

/** A part of a statement, inserted into others unchanged. */
export class Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }
}

export const sql = (texts: TemplateStringsArray, ...values: unknown[]): Sql =>
  new Sql(texts, values)

/**
 * Builds statements from templates, `all<Row>(db)\`select …\``: each value is sent as a parameter,
 * never as text, unless it is a part written with `sql`. With a name, PostgreSQL keeps its plan.
 */
function statement<Row extends object, Result>(
  db: Db,
  name: string | undefined,
  read: (result: pg.QueryResult<Row>) => Result,
) {
  return async (texts: TemplateStringsArray, ...values: unknown[]): Promise<Result> => {
    const sent: unknown[] = []
    return read(await db.query<Row>({ name, text: textOf({ texts, values }, sent), values: sent }))
  }
}

// Renders the text with `$1`, `$2`, … for the values.
const textOf = ({ texts, values }: Sql, sent: unknown[]): string =>
  texts.reduce((text, next, index) => {
    const value = values[index - 1]
    return text + (value instanceof Sql ? textOf(value, sent) : `$${sent.push(value)}`) + next
  })

/** Returns all rows of a statement. */
export const all = <Row extends object>(db: Db, name?: string) =>
  statement<Row, Row[]>(db, name, ({ rows }) => rows)

/** Returns the row of a statement that always has one. */
export const one = <Row extends object>(db: Db, name?: string) =>
  statement<Row, Row>(db, name, ({ rows }) => rows[0]!)

/** Returns the first row, or throws if there is none. */
export const oneOrThrow = <Row extends object>(db: Db, missing: () => Error) =>
  statement<Row, Row>(db, undefined, ({ rows: [row] }) => {
    if (row === undefined) throw missing()
    return row
  })

/** Returns the first row, if there is one. */
export const maybeOne = <Row extends object>(db: Db, name?: string) =>
  statement<Row, Row | undefined>(db, name, ({ rows }) => rows[0])

/** Returns the first column of all rows. */
export const anyFirst = <Value>(db: Db, name?: string) =>
  statement<object, Value[]>(db, name, ({ rows }) => rows.map(row => Object.values(row)[0]))

/** Returns the only column of the first row; the type includes `undefined` if there may be none. */
export const oneFirst = <Value>(db: Db, name?: string) =>
  statement<object, Value>(db, name, ({ rows: [row = {}] }) => Object.values(row)[0])

/** Returns how many rows a statement found or wrote. */
export const count = (db: Db, name?: string) =>
  statement<object, number>(db, name, ({ rowCount }) => rowCount ?? 0)

/** Runs a statement for its effect. */
export const run = (db: Db, name?: string) => statement<object, void>(db, name, () => undefined)

// No answer came within `query_timeout`: a rollback would get none either.
const isSilence = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith('Query read timeout')

/** Recognizes failures of the database itself, which say nothing about the request. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (error.message.includes('timeout exceeded when trying to connect')) return true
  // Errors of the client that have no code: a lost connection, or no answer.
  if (
    /^Connection terminated|^timeout expired$|is not queryable$|^Query read timeout/.test(
      error.message,
    )
  )
    return true
  if (typeof code !== 'string') return false
  // 08 connection, 53 resources, 57 operator intervention, 55P03 lock, 25P03 idle, 40 rollback; and
  // those of the system and the resolver for a broken network.
  const codes = /^(08|53|57|40|55P03|25P03|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|EAI_)/
  return codes.test(code)
}
