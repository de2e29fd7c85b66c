import { type Db, oneFirst } from '../../db.ts'
import type { ServerSnapshot } from './host.ts'

// The metrics that rows provide for monitoring.

type Open = { waiting: number; running: number; oldest_s: number }

export type Measured = {
  /** Counts since the installation. */
  ended: { kind: 'job' | 'delivery'; name: string; outcome: string; count: number }[]
  /** Counts now, by task. */
  operations: (Open & { task: string })[]
  queues: (Open & { queue: 'worker' | 'courier' })[]
  deliveries: { due: number; in_flight: number }
  /** Counts by state. */
  accounts: Record<string, number>
  /** The start of each process, in seconds of Unix time; null if it is down. */
  processes: Record<string, number | null>
  /** The last snapshot by root; null before the first. */
  server: Omit<ServerSnapshot, 'checks' | 'hooks'> | null
  /** The number of checks of `panel ctl doctor` in each state. */
  checks: Record<string, number>
}

export const readMeasured = (db: Db) => oneFirst<Measured>(db)`select panel.show_metrics()`
