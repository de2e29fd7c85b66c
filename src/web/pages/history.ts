import { z } from 'zod'
import { HistoryFilter, listHistory, subjects } from '../../model/history/history.ts'
import { toCsv } from '../../model/history/history-csv.ts'
import { operationNames } from '../../model/operations/operation-names.ts'
import { withQuery } from '../addresses.ts'
import { foldHistory } from '../folded-history.ts'
import { customers, operators, page, parseQuery, type Page, type Role } from '../page.ts'
import { headersOfPages } from '../render.ts'
import { t } from '../texts/texts.ts'

// Shows who did what, when and from where: everything to administrators, to others what concerns
// them.

const onPage = 50
const dayMs = 86_400_000
const maxExported = 10_000

/** The query of a history, in an address. */
export const HistoryQuery = z.object({
  who: HistoryFilter.shape.who,
  account: HistoryFilter.shape.account,
  action: HistoryFilter.shape.action,
  channel: HistoryFilter.shape.channel,
  cause: HistoryFilter.shape.cause,
  since: z.iso.date().optional(),
  until: z.iso.date().optional(),
  before: HistoryFilter.shape.before,
})

// Its filters: the resource kinds of all operations that people request.
const asked = Object.entries(operationNames).filter(([, { channels }]) => channels.length > 0)
const subjectsOf = (operations: typeof asked) => [
  ...new Set(operations.map(([name]) => name.split('/', 1)[0]!)),
]
export const shownSubjects = {
  operators: [...subjectsOf(asked), ...subjects],
  customers: [
    ...subjectsOf(asked.filter(([, { lane }]) => lane === 'account')),
    ...subjects.slice(0, 2),
  ],
}

/** The same as the model takes it. */
export const filterOf = ({ since, until, ...query }: z.output<typeof HistoryQuery>) => ({
  ...query,
  since: since === undefined ? undefined : new Date(since),
  // The whole day.
  until: until === undefined ? undefined : new Date(new Date(until).getTime() + dayMs),
})

// The filters that ask for automatic operations themselves.
const unfolding = ['account', 'action', 'channel', 'cause']

/** Returns the days that are one click away, in UTC like the filter. */
function daysOf(now: Date): { label: string; since?: string; until?: string }[] {
  const day = (ago: number) => new Date(now.getTime() - ago * dayMs).toISOString().slice(0, 10)
  return [
    { label: t('panel.anyDay') },
    { label: t('panel.today'), since: day(0), until: day(0) },
    { label: t('panel.yesterday'), since: day(1), until: day(1) },
    { label: t('panel.last7Days'), since: day(6), until: day(0) },
    { label: t('panel.last30Days'), since: day(29), until: day(0) },
  ]
}

/** Returns the days as links of a page. */
export const dayChips = (path: string, query: Partial<z.output<typeof HistoryQuery>>) =>
  daysOf(new Date()).map(({ label, ...days }) => ({
    label,
    address: withQuery(path, {
      ...{ ...query, before: undefined, since: undefined, until: undefined },
      ...days,
    }),
    isCurrent: query.since === days.since && query.until === days.until,
  }))

const listed = (path: string, roles: readonly Role[]) =>
  page({
    path,
    roles,
    navigation: { label: 'panel.history', icon: 'file-clock' },
    query: HistoryQuery,
    async load({ pool, caller, query }) {
      const { before, ...filter } = query
      const isFolded = caller.role !== 'customer' && !unfolding.some(name => name in filter)
      const asked = { ...filterOf(query), limit: onPage + 1 }
      const entries = await listHistory(pool, caller, asked, { isFolded })
      return {
        entries: await foldHistory({ pool, caller }, entries.slice(0, onPage)),
        days: dayChips(path, query),
        next: entries.length > onPage ? entries[onPage - 1]!.cursor : undefined,
        maxExported,
        isFirst: before === undefined,
        isFiltered: Object.keys(filter).length > 0,
        isCustomers: caller.role === 'customer',
        subjects: caller.role === 'customer' ? shownSubjects.customers : shownSubjects.operators,
      }
    },
    template: 'pages/history',
  })

// The name of the file shows that it is not all.
const fileName = (lines: number): string =>
  lines < maxExported ? 'history.csv' : `history-latest-${maxExported}.csv`

const exported = (path: string, roles: readonly Role[]): Page => ({
  path,
  roles,
  async get({ pool, caller, query }) {
    const filter = filterOf(parseQuery(HistoryQuery, query))
    const entries = await listHistory(pool, caller, { ...filter, limit: maxExported })
    const headers = {
      ...headersOfPages,
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName(entries.length)}"`,
    }
    return { status: 200, headers, body: Buffer.from(toCsv(entries)) }
  },
})

/** /history */
export const history = listed('/history', operators)
export const historyCsv = exported('/history.csv', operators)

/** /account/history */
export const ownHistory = listed('/account/history', customers)
export const ownHistoryCsv = exported('/account/history.csv', customers)
