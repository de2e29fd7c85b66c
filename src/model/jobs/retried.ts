import { z } from 'zod'
import { all, type Db, oneFirst } from '../../db.ts'

// Lists jobs that were retried together, with their states. All lines of the history of one
// transaction have its time, which names the retry.

/** The time of a retry, in microseconds since 1970. */
export const RetryTime = z
  .string()
  .regex(/^[0-9]{1,16}$/, 'must be a time in microseconds, as the page of a retry has it')

/** Returns the time of the transaction that retries jobs. */
export const retryTime = (db: Db) => oneFirst<string>(db)`
  select (extract(epoch from now()) * 1000000)::bigint::text`

/** A job that does the work of a retried one again. */
export type Retried = {
  id: string
  task: string
  account: string | null
  state: 'waiting' | 'done' | 'failed'
  error: string | null
}

/** Lists the jobs of a retry: those that failed again first, then those that wait. */
export const listRetried = (db: Db, at: string) => all<Retried>(db)`
  select *
  from panel.list_retried(timestamptz 'epoch' + interval '1 microsecond' * ${at}::bigint)
  order by array_position(array['failed', 'waiting', 'done'], state), id`
