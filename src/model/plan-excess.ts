import { PanelError } from '../errors.ts'
import type { Caller } from './callers.ts'
import { planLimits, type PlanName } from './package-limits.ts'

// How the accounts of a reseller exceed its plan (sql/functions/describe_excess.sql).

/** Which limit of the plan is exceeded, and what it allows; `plan` where there is no plan yet. */
export type Excess =
  { limit: 'plan'; allowed: null } | { limit: 'max_accounts' | PlanName; allowed: number }

/** Returns the excess in a sentence, which speaks to the reseller itself where it asks. */
export function describeExcess({ limit, allowed }: Excess, role?: Caller['role']): string {
  const isOwn = role === 'reseller'
  if (limit === 'plan') return isOwn ? 'You have no plan' : 'The reseller has no plan'
  const words = planLimits.find(({ name }) => name === limit)?.plan.words ?? accounts
  return `${isOwn ? 'Your' : "The reseller's"} plan allows ${words(allowed)}`
}

const accounts = (count: number) => `${count} ${count === 1 ? 'account' : 'accounts'}`

/** The refusal of an account's package; no package changes the number of accounts. */
export const packageExceeds = (excess: Excess, { role }: Pick<Caller, 'role'>): PanelError =>
  new PanelError('plan_exceeded', describeExcess(excess, role), {
    field: excess.limit === 'plan' || excess.limit === 'max_accounts' ? undefined : 'package',
  })

/** The refusal of a package's own limits. */
export const limitsExceed = (excess: Excess, { role }: Pick<Caller, 'role'>): PanelError =>
  new PanelError('plan_exceeded', describeExcess(excess, role), {
    field: excess.limit === 'plan' || excess.limit === 'max_accounts' ? undefined : excess.limit,
  })
