import { z } from 'zod'
import { type Limit as PackageLimit, type LimitName, limits } from './package-limits.ts'

// The limits of a reseller's plan. Each row describes a column of panel.sellers (sql/migrations),
// and has the column's name: that of the package limit that it limits, or `max_accounts`. The
// schemas of the API, the database functions that name the columns, the options of the command line
// and the fields of pages derive from these rows.

type Row = {
  /** Limits the total over all accounts of the reseller, or each account. */
  limits: 'total' | 'each'
  /** Describes the limit in the command line's help. */
  meaning: string
  /** The label in `panel reseller show`. */
  term: string
  /** The value in the form of a first plan. */
  usual: number
  /** States how much the plan allows. */
  words: (allowed: number) => string
}

const counted = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`

const rows = {
  max_accounts: {
    limits: 'total',
    meaning: 'accounts in total',
    term: 'accounts',
    usual: 50,
    words: count => counted(count, 'account'),
  },
  disk_mb: {
    limits: 'total',
    meaning: 'MB of disk in total',
    term: 'disk MB',
    usual: 102_400,
    words: mb => `${mb} MB of disk in total`,
  },
  max_sites: {
    limits: 'total',
    meaning: 'websites in total',
    term: 'websites',
    usual: 100,
    words: count => `${counted(count, 'website')} in total`,
  },
  memory_mb: {
    limits: 'each',
    meaning: 'MB of memory per account',
    term: 'memory MB, each',
    usual: 1_024,
    words: mb => `${mb} MB of memory per account`,
  },
  cpu_percent: {
    limits: 'each',
    meaning: 'percent of a core per account',
    term: 'CPU %, each',
    usual: 100,
    words: percent => `${percent} percent of CPU per account`,
  },
} as const satisfies Partial<Record<'max_accounts' | LimitName, Row>>

export type PlanLimitName = keyof typeof rows

type TotalName = {
  [Name in PlanLimitName]: (typeof rows)[Name]['limits'] extends 'total' ? Name : never
}[PlanLimitName]

/** The largest number of accounts of a plan, each of the largest package. */
const maxAccounts = 1_000_000

type PlanLimit = Row & {
  name: PlanLimitName
  range: readonly [min: number, max: number]
  /** The limit of packages; undefined for the number of accounts. */
  ofPackage: PackageLimit | undefined
}

/** All limits of a plan, in the order of answers. */
export const planLimits: readonly PlanLimit[] = Object.entries(rows).map(([name, row]) => {
  const ofPackage = limits.find(one => one.name === name)
  const [, max] = ofPackage?.range ?? [0, 1]
  return {
    ...(row as Row),
    name: name as PlanLimitName,
    range: row.limits === 'total' ? [0, max * maxAccounts] : [1, max],
    ofPackage,
  }
})

/** Builds a value for each limit of a plan; returns them by the limit's name. */
export const byPlanLimit = <Value>(
  make: (limit: PlanLimit) => Value,
): { [Name in PlanLimitName]: Value } =>
  Object.fromEntries(planLimits.map(limit => [limit.name, make(limit)])) as {
    [Name in PlanLimitName]: Value
  }

export const Plan = z.strictObject(
  byPlanLimit(({ range: [min, max] }) => {
    const words = `must be from ${min} to ${max}`
    // A missing value keeps the message that other fields have.
    const whole = z.int({ error: ({ input }) => (input === undefined ? undefined : words) })
    return whole.min(min, words).max(max, words)
  }),
)

export type Plan = z.infer<typeof Plan>

/** The key of a limit in the totals that the accounts use. */
type UsedKey<Name> = Name extends 'max_accounts' ? 'accounts' : Name

/** The part of a plan's totals that a reseller's accounts use. */
export type PlanTotals = { [Name in TotalName as UsedKey<Name>]: number }

/** Returns how much of a limit the accounts use; undefined for a limit of each account. */
export const usedOf = (used: PlanTotals, name: PlanLimitName): number | undefined =>
  (used as Record<string, number>)[name === 'max_accounts' ? 'accounts' : name]
