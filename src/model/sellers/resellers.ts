import { z } from 'zod'
import { type Db, one, oneOrThrow, Sql } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { isTotal, planLimits, type PlanTotals } from './package-limits.ts'
import { describeExcess, type Excess } from './plan-excess.ts'

// Decisions of administrators about a reseller: the plan that limits its accounts, and its
// suspension.

const between = (min: number, max: number) => {
  const words = `must be from ${min} to ${max}`
  // A missing value keeps the message that other fields have.
  const whole = z.int({ error: ({ input }) => (input === undefined ? undefined : words) })
  return whole.min(min, words).max(max, words)
}

/**
 * The limits of a plan: a million accounts of the largest package, and per account the maximum of a
 * package.
 */
export const Plan = z.strictObject({
  max_accounts: between(0, 1_000_000),
  disk_mb: between(0, 10_000_000_000_000),
  max_sites: between(0, 10_000_000_000),
  memory_mb: between(1, 1_048_576),
  cpu_percent: between(1, 6_400),
})

export type Plan = z.infer<typeof Plan>

export type PlanUse = {
  /** Null for a reseller without a plan. */
  plan: Plan | null
  used: PlanTotals
}

const inPlan = Object.keys(Plan.shape)
const inTotal = new Set<string>(planLimits.filter(isTotal).map(({ name }) => name))
const totals = inPlan.filter(name => inTotal.has(name))

/** Selects a seller's plan, and how much of it is used, from the row `s` of panel.sellers. */
export const planUse = new Sql(
  [
    `case when s.max_accounts is not null then
      json_build_object(${inPlan.map(name => `'${name}', s.${name}`)})
    end as plan, (
      select json_build_object('accounts', count(*),
        ${totals.map(name => `'${name}', coalesce(sum(p.${name}), 0)`)})
      from panel.accounts a join panel.packages p on p.id = a.package_id
      where a.seller_id = s.id and a.state <> 'terminated') as used`,
  ],
  [],
)

/**
 * Sets a reseller's plan, and returns in a sentence how its accounts already exceed it. They stay
 * the same; the plan limits the next create or package change.
 *
 * @throws {PanelError} `not_found`
 */
export async function setPlan(db: Db, name: string, plan: Plan): Promise<string | null> {
  const { id, excess } = await one<{ id: string | null; excess: Excess | null }>(db)`
    select * from panel.set_plan(
      ${name}, ${plan.max_accounts}, ${plan.disk_mb}, ${plan.max_sites}, ${plan.memory_mb},
      ${plan.cpu_percent})`
  if (id === null) throw unknown(name)
  return excess && describeExcess(excess)
}

/**
 * Suspends a reseller, whose tokens and sessions are refused from then on, or ends its suspension.
 * Its accounts are not affected. Returns the time of its suspension.
 *
 * @throws {PanelError} `not_found`
 */
export async function setSuspended(db: Db, name: string, desired: boolean): Promise<Date | null> {
  const seller = await oneOrThrow<{ suspended_at: Date | null }>(db, () => unknown(name))`
    select suspended_at from panel.suspend_seller(${name}, ${desired})`
  return seller.suspended_at
}

const unknown = (name: string) => new PanelError('not_found', `Unknown reseller: ${name}`)
