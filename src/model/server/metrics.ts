import { type Db, oneFirst } from '../../db.ts'
import type { ServerLook } from './host.ts'

// What rows say to whoever monitors the panel.

type Open = { waiting: number; running: number; oldest_s: number }

export type Measured = {
  /** Since the panel is there. */
  ended: { kind: 'job' | 'delivery'; name: string; outcome: string; count: number }[]
  /** Now, by task. */
  operations: (Open & { task: string })[]
  queues: (Open & { queue: 'worker' | 'courier' })[]
  deliveries: { due: number; in_flight: number }
  /** By state. */
  accounts: Record<string, number>
  /** When each has started, in seconds of Unix time; null where it is down. */
  processes: Record<string, number | null>
  /** As root has found it; null before the first look. */
  server: Omit<ServerLook, 'checks' | 'hooks'> | null
  /** How many checks of `panel ctl doctor` are in each state. */
  checks: Record<string, number>
}

export const readMeasured = (db: Db) => oneFirst<Measured>(db)`select panel.show_metrics()`
