import type { AccountRecord } from '../../../model/accounts/accounts.ts'
import { readPlanUse } from '../../../model/server/overview.ts'
import { countLimits } from '../../../model/sellers/package-limits.ts'
import { planLimits, usedOf } from '../../../model/sellers/plan-limits.ts'
import type { Package } from '../../../model/sellers/packages.ts'
import * as packages from '../../../model/sellers/packages.ts'
import type { PlanUse } from '../../../model/sellers/resellers.ts'
import type { PageRequest } from '../../page.ts'
import { whyNoAccount } from '../../unlicensed.ts'
import { t } from '../../texts/texts.ts'

// The packages that forms offer for an account: none that would be refused.

type Asked = Pick<PageRequest, 'pool' | 'caller'>

export type NewAccountOptions = {
  names: string[]
  /** Why no account can be created; a sentence. */
  why?: string
  /** The page on which that can be changed. */
  link?: { address: string; label: string }
}

/** Returns the packages for a new account of the caller's. */
export async function optionsForNew({
  pool,
  caller,
  wiring,
}: Asked & Pick<PageRequest, 'wiring'>): Promise<NewAccountOptions> {
  const [unlicensed, catalogue, use] = await Promise.all([
    whyNoAccount(wiring),
    packages.list(pool, caller),
    caller.role === 'reseller' ? readPlanUse(pool, caller) : undefined,
  ])
  if (unlicensed !== undefined) return { names: [], why: `${unlicensed}.` }
  const why = use && whyNoMore(use)
  if (why !== undefined) return { names: [], why }
  if (catalogue.length === 0) {
    return {
      names: [],
      why: t('accounts.createPackageFirstEvery'),
      link: { address: '/packages/new', label: t('accounts.createPackage') },
    }
  }
  const names = catalogue.filter(one => isWithin(use, one)).map(({ name }) => name)
  if (names.length > 0) return { names }
  return { names, why: t('accounts.allYourPackagesLarger') }
}

/** Returns why a reseller can create no further account with any package. */
function whyNoMore({ plan, used }: PlanUse): string | undefined {
  if (plan === null) {
    return t('accounts.youHaveNoPlan')
  }
  if (used.accounts < plan.max_accounts) return undefined
  const allowed = t('accounts.accountsOfPlan', { maxAccounts: plan.max_accounts })
  return t('accounts.yourPlanAllowsAllowed', { allowed })
}

/** Returns the packages that an account can change to, and the one that it has. */
export async function optionsForChange({ pool }: Asked, record: AccountRecord): Promise<string[]> {
  const [catalogue, use, counts] = await Promise.all([
    packages.list(pool, record),
    readPlanUse(pool, record),
    packages.countsOf(pool, record.id),
  ])
  const own = catalogue.find(({ name }) => name === record.package.name)
  return catalogue
    .filter(
      one =>
        one === own ||
        (countLimits.every(({ name }) => one[name] >= counts[name]) && isWithin(use, one, own)),
    )
    .map(({ name }) => name)
}

// As describe_excess.sql says it: what an account has already is no new excess.
function isWithin(use: PlanUse | undefined, next: Package, own?: Package): boolean {
  if (!use?.plan) return true
  const { plan, used } = use
  return planLimits.every(({ name, limits }) => {
    if (name === 'max_accounts' || next[name] <= (own?.[name] ?? 0)) return true
    const others = limits === 'total' ? (usedOf(used, name) ?? 0) - (own?.[name] ?? 0) : 0
    return others + next[name] <= plan[name]
  })
}
