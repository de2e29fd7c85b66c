import type { Pool } from '../db.ts'
import type { Authority } from '../model/certificates/authority.ts'
import type { Outside } from '../model/events/outside.ts'
import type { Sign } from '../model/events/webhooks.ts'
import type { CourierDeliveries } from './batched-deliveries.ts'
import type { Lanes } from './lanes.ts'
import type { Context, TaskOf } from '../queue/task.ts'

/** Runs a named step of a job; tests pass one that times it, or ends the process there. */
export type ObserveStep = <T>(step: string, work: () => Promise<T>) => Promise<T>

/** What a courier process gives to each of its tasks. */
export type Courier = {
  pool: Pool
  outside: Outside
  lanes: Lanes
  deliveries: CourierDeliveries
  sign: Sign
  userAgent: string
  /** Null if this server gets no certificates for its websites. */
  authority: Authority | null
  /** Looks for the newest release; null where nobody has said where. */
  findRelease: (() => Promise<{ version: string; notes: string }>) | null
  /** Aborted when the process is to stop: nothing new is begun. */
  stopping: AbortSignal
  /** Aborted when a stop can't wait any longer: what is in progress is left to the next courier. */
  abandoned: AbortSignal
  observe: ObserveStep
  giveUp: Context['giveUp']
}

/** The default export of the files below tasks/ whose jobs the courier runs. */
export type CourierTask = TaskOf<Courier>
