import { PanelError } from '../errors.ts'
import type { Caller } from './callers.ts'

// How the accounts of a reseller exceed its plan (sql/functions/describe_excess.sql).

/** Which limit of the plan is exceeded, and what it allows; `plan` where there is no plan yet. */
export type Excess =
  | { limit: 'plan'; allowed: null }
  | {
      limit: 'max_accounts' | 'disk_mb' | 'max_sites' | 'memory_mb' | 'cpu_percent'
      allowed: number
    }

/** Returns the excess in a sentence, which speaks to the reseller itself where it asks. */
export function describeExcess({ limit, allowed }: Excess, role?: Caller['role']): string {
  const isOwn = role === 'reseller'
  if (limit === 'plan') return isOwn ? 'You have no plan' : 'The reseller has no plan'
  return `${isOwn ? 'Your' : "The reseller's"} plan allows ${words[limit](allowed)}`
}

const words = {
  max_accounts: count => `${count} ${count === 1 ? 'account' : 'accounts'}`,
  disk_mb: mb => `${mb} MB of disk in all`,
  max_sites: count => `${count} ${count === 1 ? 'website' : 'websites'} in all`,
  memory_mb: mb => `${mb} MB of memory an account`,
  cpu_percent: percent => `${percent} percent of CPU an account`,
} satisfies Record<Exclude<Excess['limit'], 'plan'>, (allowed: number) => string>

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
