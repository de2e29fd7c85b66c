import { type Db, maybeOne, oneFirst } from '../../db.ts'
import type { Caller } from '../signing-in/callers.ts'
import { planUse, type PlanUse } from '../sellers/resellers.ts'

// The content of the overview page: for the whole server, or for a reseller's plan.

export type Overview = {
  accounts: number
  /** Added in the last 7 days. */
  added: number
  suspended: number
  suspendedByAdministrators: number
  packages: number
  /** Tokens that were used. */
  used_tokens: number
  webhooks: number
  waiting: number
  oldestMs: number | null
  /** Ended in the last hour. */
  ended: number
  failed: number
  p50: number | null
  p95: number | null
  minutes: { at: string; ended: number; failed: number }[] | null
  /** Deliveries per hour, in the last 24 hours. */
  deliveries: { at: string; delivered: number; failed: number }[] | null
}

/** Returns the overview of administrators. */
export const readOverview = (db: Db) => oneFirst<Overview>(db)`select panel.show_overview()`

/** Returns a reseller's plan and how much of it is used. */
export const readPlanUse = (db: Db, { sellerId }: Pick<Caller, 'sellerId'>) => maybeOne<PlanUse>(
  db,
)`
  select ${planUse} from panel.sellers s where s.id = ${sellerId}`
