import { z } from 'zod'

// Statistics of a website's visitors, which GoAccess computes from its access log when a page or
// the command requests them.

const count = z.int().min(0)

/** The number of days that are shown, the newest. */
export const maxDays = 60

/** The longest text of a row, such as the path of a page. */
export const maxText = 200

const Row = z.strictObject({ hits: count, visitors: count, bytes: count })
const Named = Row.extend({ name: z.string().max(maxText) })

export type NamedRow = z.infer<typeof Named>

/** The tables of statistics, each with its heading, that of its first column, and its length. */
export const statisticsTables = {
  pages: { title: 'Pages', of: 'Path', max: 20 },
  files: { title: 'Images and other files', of: 'Path', max: 20 },
  missing: { title: 'Not found', of: 'Path', max: 20 },
  referrers: { title: 'Referring websites', of: 'Website', max: 20 },
  browsers: { title: 'Browsers', of: 'Browser', max: 10 },
  systems: { title: 'Operating systems', of: 'System', max: 10 },
  statuses: { title: 'Status codes', of: 'Status', max: 60 },
} as const

export type TableName = keyof typeof statisticsTables

const tables = Object.fromEntries(
  Object.entries(statisticsTables).map(([name, { max }]) => [name, z.array(Named).max(max)]),
) as { [Name in TableName]: z.ZodArray<typeof Named> }

/** Days with requests, the oldest first, and tables with the most requests first. */
export const SiteStatistics = z.strictObject({
  ...Row.shape,
  days: z.array(Row.extend({ date: z.iso.date() })).max(maxDays),
  ...tables,
})

export type SiteStatistics = z.infer<typeof SiteStatistics>

/** Holds statistics, or the reason why there are none. */
export const StatisticsContent = z.union([SiteStatistics, z.strictObject({ problem: z.string() })])

export type StatisticsContent = z.infer<typeof StatisticsContent>
