import { type Db, maybe, value } from '../db.ts'
import type { Caller } from './callers.ts'
import type { Plan } from './resellers.ts'

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
export const readOverview = (db: Db) => value<Overview>(db)`select panel.show_overview()`

export type PlanUse = {
  plan: Plan | null
  used: { accounts: number; disk_mb: number; max_sites: number }
}

/** A reseller's plan, null where it has none yet, and what its accounts have of it. */
export const readPlanUse = (db: Db, { sellerId }: Pick<Caller, 'sellerId'>) => maybe<PlanUse>(db)`
  select case when s.max_accounts is not null then
      json_build_object('max_accounts', s.max_accounts, 'disk_mb', s.disk_mb,
        'max_sites', s.max_sites, 'memory_mb', s.memory_mb, 'cpu_percent', s.cpu_percent)
    end as plan, (
      select json_build_object('accounts', count(*), 'disk_mb', coalesce(sum(p.disk_mb), 0),
        'max_sites', coalesce(sum(p.max_sites), 0))
      from panel.accounts a join panel.packages p on p.id = a.package_id
      where a.seller_id = s.id and a.state <> 'terminated') as used
  from panel.sellers s where s.id = ${sellerId}`
