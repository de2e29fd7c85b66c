import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connection, openClient, run, type Db, type Role, oneFirst } from '../db.ts'
import { showProcess, type ProcessName } from '../model/server/panel-processes.ts'

// All session advisory locks are on one connection: when it is lost, so are all locks, and the
// process must stop changing the machine at once.

const heartbeatMs = 1_000
// After this many unanswered heartbeats the locks must be considered lost.
const silentBeats = 4

// The maximum age of the last answer before a change: two heartbeats, so that a step needs no query
// of its own unless the process or the server has stalled.
const proofMs = 2_000

// The interval of requests for the exclusive lock. Ends of connections arrive within a few turns,
// and a process that still holds the lock after that is alive, however silent.
const turnMs = 100
const endingTurns = 10
const aliveTurns = 80

// The time for which others wait for a lane before they check it again.
const giveBackMs = 25

// Another process needs at least this long to take a lane and begin to change the machine. Within
// it, as far as the clock shows, this process was not stopped.
const seenMs = 1

// A waiting statement must not keep the locks of a dead process, nor be silent for so long that its
// own process gives up.
const settings = '-c client_connection_check_interval=1s -c lock_timeout=2s'

export type Locks = {
  /** The connection that holds the locks, for statements that take locks themselves. */
  session: Db
  /**
   * Returns if the locks were held a moment ago, and never if they are lost: a process that was
   * stopped learns of the loss only after it has continued
   * (docs/decisions/0006-fewer-round-trips.md).
   */
  prove: () => Promise<void>
  /**
   * Waits, while another process lives, until this is the only one that changes the server's
   * machine, then ends the sessions that others have left. Call it before the process opens
   * connections.
   */
  becomeWorker: (onWait: () => void) => Promise<void>
  /**
   * Marks a process of this kind as running (`/readyz`, `panel ctl info`); there may be several.
   */
  showProcess: (name: ProcessName) => Promise<void>
  /** Marks a worker pool as alive while this process runs. */
  lockPool: (poolId: string) => Promise<void>
  /**
   * Releases lanes that a statement of the session has locked, a moment later and many at once.
   * Until then the session can take them again.
   */
  giveBack: (lanes: readonly string[]) => void
  close: () => Promise<void>
}

/**
 * Opens the connection that holds the locks.
 *
 * @param onLost called once if the locks are lost without `close`
 */
export async function openLocks(
  url: string,
  role: Role,
  onLost: (error: Error) => void,
): Promise<Locks> {
  const { options, ...base } = connection(url, role)
  // Statements are answered in order, but each is sent at once: every operation begins with one.
  const client = openClient({ ...base, options: `${options} ${settings}`, pipeline: true })
  let isOver = false
  const lose = (error: Error) => {
    if (!isOver) onLost(error)
    isOver = true
  }
  let provedAt = -Infinity
  let lookedAt = -Infinity
  const session = orNever(client, sentAt => (provedAt = sentAt), lose)
  const { giveBack, forget } = gatherLanes(session)
  client.on('error', lose)
  client.on('end', () => lose(new Error('The connection that holds the locks has ended')))
  await client.connect()
  const heartbeat = watch(session, lose)
  return {
    session,
    prove: async () => {
      if (!isOver && performance.now() - lookedAt < seenMs) return
      // The next turn of the event loop may handle earlier events first; the one after it has
      // checked whether the connection has ended.
      await turn()
      await turn()
      if (performance.now() - provedAt > proofMs) await session.query('select').catch(lose)
      if (isOver) await new Promise<never>(() => undefined)
      lookedAt = performance.now()
    },
    becomeWorker: onWait => becomeWorker(session, onWait),
    showProcess: name => showProcess(session, name),
    lockPool: async poolId => {
      await session.query('select panel.lock_pool($1)', [poolId])
    },
    giveBack,
    close: async () => {
      isOver = true
      forget()
      clearInterval(heartbeat)
      await client.end()
    },
  }
}

// Never returns if the connection is lost: the process ends, and no work may continue as if only
// the statement had failed.
function orNever(
  client: pg.Client,
  onAnswer: (sentAt: number) => void,
  lose: (error: Error) => void,
): Db {
  const query = async (...args: Parameters<pg.Client['query']>) => {
    const sentAt = performance.now()
    try {
      const result = await client.query(...args)
      onAnswer(sentAt)
      return result
    } catch (error) {
      if (error instanceof pg.DatabaseError && !error.code?.startsWith('57P')) throw error
      lose(error as Error)
      return new Promise<never>(() => undefined)
    }
  }
  return { query: query as unknown as Db['query'] }
}

async function becomeWorker(session: Db, onWait: () => void): Promise<void> {
  for (let turns = 0; ; turns += 1) {
    if (turns === aliveTurns) onWait()
    const isEnding = turns >= endingTurns
    if (await oneFirst<boolean>(session)`select panel.become_worker(${isEnding})`) return
    await sleep(turnMs)
  }
}

function gatherLanes(session: Db) {
  const lanes: string[] = []
  let later: NodeJS.Timeout | undefined
  const send = () => {
    later = undefined
    void run(session, 'unlock_lanes')`select panel.unlock_lanes(${lanes.splice(0)})`.catch(
      () => undefined,
    )
  }
  const giveBack = (given: readonly string[]) => {
    lanes.push(...given)
    later ??= setTimeout(send, giveBackMs)
  }
  return { giveBack, forget: () => clearTimeout(later) }
}

function watch(session: Db, lose: (error: Error) => void): NodeJS.Timeout {
  // Counts heartbeats instead of time, during which the process itself may have been stopped.
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
