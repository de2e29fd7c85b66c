import { type Db, maybeOne, oneFirst } from '../../db.ts'
import type { Caller } from '../signing-in/callers.ts'
import { planUse, type PlanUse } from '../sellers/resellers.ts'

// What the first page says: of the whole server, or of a reseller's plan.

export type Overview = {
  accounts: number
  /** In the last 7 days. */
  added: number
  suspended: number
  suspendedByAdministrators: number
  packages: number
  /** Those that a program has asked with. */
  used_tokens: number
  webhooks: number
  waiting: number
  oldestMs: number | null
  /** In the last hour. */
  ended: number
  failed: number
  p50: number | null
  p95: number | null
  minutes: { at: string; ended: number; failed: number }[] | null
  /** By hour, in the last 24. */
  deliveries: { at: string; delivered: number; failed: number }[] | null
}

/** For administrators. */
export const readOverview = (db: Db) => oneFirst<Overview>(db)`select panel.show_overview()`

/** A reseller's plan, and what its accounts have of it. */
export const readPlanUse = (db: Db, { sellerId }: Pick<Caller, 'sellerId'>) => maybeOne<PlanUse>(
  db,
)`
  select ${planUse} from panel.sellers s where s.id = ${sellerId}`
