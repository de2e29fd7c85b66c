import { type Db, one, oneOrThrow, Sql } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { describeExcess, type Excess } from './plan-excess.ts'
import { planLimits, type Plan, type PlanTotals } from './plan-limits.ts'

// Decisions of administrators about a reseller: the plan that limits its accounts, and its
// suspension.

export type PlanUse = {
  /** Null for a reseller without a plan. */
  plan: Plan | null
  used: PlanTotals
}

const inPlan = planLimits.map(({ name }) => name)
const totals = planLimits.flatMap(({ limits, ofPackage }) =>
  limits === 'total' && ofPackage ? [ofPackage.name] : [],
)

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
    select * from panel.set_plan(${name}, ${plan})`
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
