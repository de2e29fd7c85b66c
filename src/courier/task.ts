import type { Pool } from '../db.ts'
import type { Authority } from '../model/certificates/authority.ts'
import type { CheckMailDomain } from '../model/mail/mail-checks.ts'
import type { Outside } from '../model/events/outside.ts'
import type { Sign } from '../model/events/webhooks.ts'
import type { CourierDeliveries } from './batched-deliveries.ts'
import type { SendMail } from './own-mail.ts'
import type { Lanes } from './lanes.ts'
import type { Context, TaskOf } from '../queue/task.ts'

/** Runs a named step of a job; tests pass one that times it, or ends the process there. */
export type ObserveStep = <T>(step: string, work: () => Promise<T>) => Promise<T>

/** The context that a courier process passes to its tasks. */
export type Courier = {
  pool: Pool
  outside: Outside
  lanes: Lanes
  deliveries: CourierDeliveries
  sign: Sign
  userAgent: string
  /** Null if this server orders no certificates for its websites. */
  authority: Authority | null
  checkMailDomain: CheckMailDomain
  /** Looks up the newest release; null if no address is configured. */
  findRelease: (() => Promise<{ version: string; notes: string }>) | null
  /** Aborted when the process is to stop: from then on nothing new begins. */
  stopping: AbortSignal
  /** Aborted when a stop cannot wait any longer: the next courier repeats the work in progress. */
  abandoned: AbortSignal
  sendMail: SendMail
  /** The panel's own address and name, for mails. */
  baseUrl: string
  serverName: string
  /** The running release. */
  version: string
  observe: ObserveStep
  giveUp: Context['giveUp']
}

/** The default export of the files below tasks/ whose jobs the courier runs. */
export type CourierTask = TaskOf<Courier>
