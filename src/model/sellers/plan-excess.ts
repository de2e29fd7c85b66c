import { PanelError } from '../../errors.ts'
import type { Caller } from '../signing-in/callers.ts'
import { planLimits, type PlanLimitName } from './plan-limits.ts'

// Describes how the accounts of a reseller exceed its plan (plan-functions.ts).

/** The limit of the plan that is exceeded, and its value; `plan` if there is no plan yet. */
export type Excess = { limit: 'plan'; allowed: null } | { limit: PlanLimitName; allowed: number }

/** Describes the excess in a sentence, which addresses the reseller if they are the caller. */
export function describeExcess({ limit, allowed }: Excess, role?: Caller['role']): string {
  const isOwn = role === 'reseller'
  if (limit === 'plan') return isOwn ? 'You have no plan' : 'The reseller has no plan'
  const words = planLimits.find(({ name }) => name === limit)?.words ?? String
  return `${isOwn ? 'Your' : "The reseller's"} plan allows ${words(allowed)}`
}

/**
 * Returns the refusal of a package that exceeds the plan.
 *
 * @param field the input that chooses the package; without it, the package's own limit is at fault
 */
export function planExceeded(
  excess: Excess,
  { role }: Pick<Caller, 'role'>,
  field: string = excess.limit,
): PanelError {
  const isOfPackage = excess.limit !== 'plan' && excess.limit !== 'max_accounts'
  const options = isOfPackage ? { field } : {}
  return new PanelError('plan_exceeded', describeExcess(excess, role), options)
}
