import type pg from 'pg'
import { until } from './until.ts'

// The API's connections, less some for its other work.
const crowd = 10

/**
 * Sends write requests that are decided at the same moment: none can be claimed before a full crowd
 * of them, or all, have arrived.
 */
export async function atOnce<T>(pool: pg.Pool, send: () => Promise<T>[]): Promise<T[]> {
  const holder = await pool.connect()
  await holder.query('begin; lock table panel.operations in share row exclusive mode')
  const answers = send()
  await until(async () => (await waiting(pool)) >= Math.min(crowd, answers.length))
  await holder.query('commit')
  holder.release()
  return Promise.all(answers)
}

/** Returns the number of sessions that wait for a lock. */
export async function waiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database()`,
  )
  return rows[0]!.n
}
