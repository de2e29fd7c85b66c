import { Mutex } from 'async-mutex'
import pg from 'pg'
import { connection, openClient, type Db, type Role } from '../db.ts'
import { showProcess, type ProcessName } from '../model/panel-processes.ts'

// Session advisory locks, all on one connection: when it is lost, the process has lost them all
// and must stop changing the machine at once (architecture, rule 2).

// A lock class of two numbers, as processes have one; accounts use the one-number space, by id.
const poolClass = 7201

const heartbeatMs = 1_000
// A connection that has not answered for so long has lost its locks as far as we can know.
const silentBeats = 4

// A statement that waits for a row may not keep the locks of a process that has died meanwhile, nor
// be silent for so long that its own process gives up.
const settings = '-c client_connection_check_interval=1s -c lock_timeout=2s'

export type Locks = {
  /** The connection that holds the locks, for statements that take some themselves. */
  session: Db
  /** Shows that a process of this kind is up (`/readyz`, `panel ctl info`); several may be. */
  showProcess: (name: ProcessName) => Promise<void>
  /** Marks a worker pool as alive for as long as this process is. */
  holdPool: (poolId: string) => Promise<void>
  /** Hears what is notified on a channel. */
  listen: (channel: string, hear: (payload: string) => void) => Promise<void>
  close: () => Promise<void>
}

/** @param onLost called once when the locks are gone without `close` */
export async function openLocks(
  url: string,
  role: Role,
  onLost: (error: Error) => void,
): Promise<Locks> {
  const { options, ...base } = connection(url, role)
  const client = openClient({ ...base, options: `${options} ${settings}` })
  let isOver = false
  const lose = (error: Error) => {
    if (!isOver) onLost(error)
    isOver = true
  }
  const session = oneAtATime(client, lose)
  client.on('error', lose)
  client.on('end', () => lose(new Error('The connection that holds the locks has ended')))
  await client.connect()
  const heartbeat = watch(session, lose)
  return {
    session,
    showProcess: name => showProcess(session, name),
    holdPool: async poolId => {
      await session.query('select pg_advisory_lock($1, hashtext($2))', [poolClass, poolId])
    },
    listen: async (channel, hear) => {
      client.on('notification', told => {
        if (told.channel === channel) hear(told.payload ?? '')
      })
      await session.query(`listen ${client.escapeIdentifier(channel)}`)
    },
    close: async () => {
      isOver = true
      clearInterval(heartbeat)
      await client.end()
    },
  }
}

// A client runs one query at a time; the next is sent when the last one has answered. Where the
// connection is lost the caller never hears of it: the process ends, and no work may go on as if
// the statement had only failed.
function oneAtATime(client: pg.Client, lose: (error: Error) => void): Db {
  const turns = new Mutex()
  const query = (...args: Parameters<pg.Client['query']>) =>
    turns.runExclusive(async () => {
      try {
        return await client.query(...args)
      } catch (error) {
        if (error instanceof pg.DatabaseError && !error.code?.startsWith('57P')) throw error
        lose(error as Error)
        return new Promise<never>(() => undefined)
      }
    })
  return { query: query as unknown as Db['query'] }
}

function watch(session: Db, lose: (error: Error) => void): NodeJS.Timeout {
  // Counted and not measured: a process that got no time to run has not been let down.
  let unanswered = 0
  const heartbeat = setInterval(() => {
    if (unanswered >= silentBeats) {
      clearInterval(heartbeat)
      lose(new Error('The connection that holds the locks is silent'))
      return
    }
    unanswered += 1
    session.query('select').then(() => (unanswered = 0), lose)
  }, heartbeatMs)
  return heartbeat
}
