import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { connection, type Role } from '../db.ts'

// Session advisory locks, all on one connection: when it is lost, the process has lost them all
// and must stop changing the machine at once (architecture, rule 2).

// Lock classes of two numbers; accounts use the one-number space, by id.
const poolClass = 7201
const processClass = 7202

// A connection that has not answered for this long has lost its locks as far as we can know.
const silenceMs = 4_000
const heartbeatMs = 1_000
// Another process holds an account only while it works on it: look again this often.
const patienceMs = 25

export type Locks = {
  /** Shows that a process of this kind is up (`/readyz`, doctor); several may be. */
  showProcess: (name: string) => Promise<void>
  /** Marks a worker pool as alive for as long as this process is. */
  holdPool: (poolId: string) => Promise<void>
  /**
   * Runs work while holding an account, once `isDue`, a condition in SQL, is seen to hold under
   * the lock. False where the operation has meanwhile been started anew or has ended.
   */
  holdAccount: (turn: Turn, work: () => Promise<void>) => Promise<boolean>
  close: () => Promise<void>
}

/** One start of an operation, and the account whose machine state it may change. */
export type Turn = { accountId: string; operationId: string; epoch: number }

type Query = <Row extends pg.QueryResultRow>(query: pg.QueryConfig) => Promise<Row[]>

/** @param onLost called once when the locks are gone without `close` */
export async function openLocks(
  url: string,
  role: Role,
  onLost: (error: Error) => void,
): Promise<Locks> {
  const client = new pg.Client({ ...connection(url, role), connectionTimeoutMillis: 5_000 })
  const query = oneAtATime(client)
  const stopWatching = watch(client, query, onLost)
  await client.connect()
  const accounts = new Map<string, Promise<void>>()
  return {
    showProcess: async name => {
      const text = 'select pg_advisory_lock_shared($1, hashtext($2))'
      await query({ text, values: [processClass, name] })
    },
    holdPool: async poolId => {
      const text = 'select pg_advisory_lock($1, hashtext($2))'
      await query({ text, values: [poolClass, poolId] })
    },
    holdAccount: (turn, work) => oneByOne(accounts, turn, () => holdAccount(query, turn, work)),
    close: async () => {
      stopWatching()
      await client.end()
    },
  }
}

// A session may take its own lock twice, so inside the process the account is waited for here.
async function oneByOne<T>(
  held: Map<string, Promise<void>>,
  { accountId }: Turn,
  work: () => Promise<T>,
): Promise<T> {
  while (held.has(accountId)) await held.get(accountId)
  const { promise, resolve } = Promise.withResolvers<void>()
  held.set(accountId, promise)
  try {
    return await work()
  } finally {
    held.delete(accountId)
    resolve()
  }
}

async function holdAccount(query: Query, turn: Turn, work: () => Promise<void>): Promise<boolean> {
  for (;;) {
    const { isHeld, isDue } = await tryAccount(query, turn)
    if (isHeld) {
      try {
        if (isDue) await work()
      } finally {
        await query({ text: 'select pg_advisory_unlock($1)', values: [turn.accountId] })
      }
    }
    if (isHeld || !isDue) return isDue
    await sleep(patienceMs)
  }
}

async function tryAccount(query: Query, turn: Turn) {
  const [row] = await query<{ isHeld: boolean; isDue: boolean }>({
    name: 'try_account',
    // The lock first: what is read under it cannot be changed by a holder any more.
    text: `with lock as materialized (select pg_try_advisory_lock($1) as is_held)
           select lock.is_held as "isHeld", panel.is_due($2, $3) as "isDue" from lock`,
    values: [turn.accountId, turn.operationId, turn.epoch],
  })
  return row!
}

// A client runs one query at a time; the next is sent when the last one has answered.
function oneAtATime(client: pg.Client): Query {
  let last: Promise<unknown> = Promise.resolve()
  return async <Row extends pg.QueryResultRow>(config: pg.QueryConfig) => {
    const answer = last.then(() => client.query<Row>(config))
    last = answer.catch(() => undefined)
    return (await answer).rows
  }
}

function watch(client: pg.Client, query: Query, onLost: (error: Error) => void): () => void {
  let answeredAt = performance.now()
  let isOver = false
  const lose = (error: Error) => {
    clearInterval(heartbeat)
    if (!isOver) onLost(error)
    isOver = true
  }
  const heartbeat = setInterval(() => {
    if (performance.now() - answeredAt > silenceMs) {
      lose(new Error('The connection that holds the locks is silent'))
      return
    }
    query({ text: 'select' }).then(() => (answeredAt = performance.now()), lose)
  }, heartbeatMs)
  client.on('error', lose)
  client.on('end', () => lose(new Error('The connection that holds the locks has ended')))
  return () => {
    isOver = true
    clearInterval(heartbeat)
  }
}
