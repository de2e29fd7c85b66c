import { Mutex } from 'async-mutex'
import { z } from 'zod'
import { PanelError } from '../../errors.ts'
import { log } from '../../log.ts'
import {
  maxDays,
  maxText,
  type NamedRow,
  SiteStatistics,
  statisticsTables,
  type TableName,
} from '../../model/sites/site-statistics.ts'
import type { Machine, UserKey } from '../contract.ts'
import { CommandError } from '../tools/run.ts'
import { readAccessLines } from './access-lines.ts'

// Statistics of a website, by Debian's GoAccess. It gets checked lines on its standard input, as a
// user of its own without network, and writes JSON to its standard output.

const program = 'goaccess'

// 20 MB of lines take it less than a second.
const timeoutMs = 30_000
const limits = ['--as=1073741824', '--cpu=20', '--fsize=0', '--core=0', '--nofile=64']

// A few hundred rows of at most 2,000 characters.
const outputLimit = 16_000_000

// Added to an account's number for GoAccess's user, which nothing else uses: it is neither the
// account nor the user of a client of its databases.
const uidOffset = 2_100_000_000

const args = [
  ...['-', '--no-global-config', '--log-format=COMBINED', '--output=json', '--no-progress'],
  // Queries may contain passwords, and would be a page each.
  ...['--no-query-string', '--max-items=100', '--tz=UTC'],
  ...['HOSTS', 'KEYPHRASES', 'GEO_LOCATION', 'ASN', 'VISIT_TIMES', 'REFERRERS'].map(
    panel => `--ignore-panel=${panel}`,
  ),
]

// One at a time, because each may use a core.
const mutex = new Mutex()

/**
 * Computes statistics from a website's access log and the one before it.
 *
 * @throws {PanelError} `unavailable`, if GoAccess is not installed or ends without a result
 */
export async function readSiteStatistics(
  machine: Machine,
  account: UserKey,
  domain: string,
  signal?: AbortSignal,
): Promise<SiteStatistics> {
  if (!machine.tools.has(program)) {
    const words = 'Statistics need GoAccess, which is not installed on this server'
    throw new PanelError('unavailable', `${words}: apt-get install goaccess`)
  }
  return mutex.runExclusive(async () => {
    const lines = await readAccessLines(machine, account, domain)
    if (lines === '') return none
    const own = String(account.uid + uidOffset)
    const apart = [
      ...['--net', '--ipc', '--', 'setpriv', `--reuid=${own}`, `--regid=${own}`, '--clear-groups'],
      ...['--no-new-privs', '--pdeathsig', 'KILL', '--', 'prlimit', ...limits, '--', program],
    ]
    const options = { stdin: lines, timeoutMs, outputLimit, ...(signal && { signal }) }
    try {
      const output = machine.tools.areRequired
        ? await machine.run('unshare', [...apart, ...args], options)
        : await machine.run(program, args, options)
      return parseReport(output)
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof SyntaxError || isOfZod(error))) {
        throw error
      }
      log.error('GoAccess gave no statistics', error, { uid: account.uid })
      throw new PanelError('unavailable', 'GoAccess could not evaluate the log', { cause: error })
    }
  })
}

const isOfZod = (error: unknown): boolean => error instanceof z.ZodError

const noTables = Object.fromEntries(Object.keys(statisticsTables).map(name => [name, []]))

/** The statistics of a website without requests. */
const none = SiteStatistics.parse({ hits: 0, visitors: 0, bytes: 0, days: [], ...noTables })

const Count = z.looseObject({ count: z.int().min(0) }).transform(({ count }) => count)
const counts = { hits: Count, visitors: Count, bytes: Count }
const Item = z.looseObject({ ...counts, data: z.string() })
const Panel = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .looseObject({ data: z.array(schema) })
    .optional()
    .transform(panel => panel?.data ?? [])

// Each group has a row for each version or code.
const Group = z.looseObject({ ...counts, data: z.string(), items: z.array(Item).optional() })

const Report = z.looseObject({
  general: z.looseObject({
    valid_requests: z.int().min(0),
    unique_visitors: z.int().min(0),
    bandwidth: z.int().min(0),
  }),
  visitors: Panel(Item.extend({ data: z.string().regex(/^\d{8}$/) })),
  requests: Panel(Item),
  static_requests: Panel(Item),
  not_found: Panel(Item),
  referring_sites: Panel(Item),
  browsers: Panel(Group),
  os: Panel(Group),
  status_codes: Panel(Group),
})

/** Parses GoAccess's report. Its texts are from requests: they are shortened, and never markup. */
export function parseReport(text: string): SiteStatistics {
  const report = Report.parse(JSON.parse(text))
  const tables: { [Name in TableName]: z.infer<typeof Item>[] } = {
    pages: report.requests,
    files: report.static_requests,
    missing: report.not_found,
    referrers: report.referring_sites,
    browsers: report.browsers,
    systems: report.os,
    statuses: report.status_codes
      .flatMap(({ items = [] }) => items)
      .map(item => ({ ...item, data: item.data.replace(statusText, '$1 $2') })),
  }
  const days = report.visitors
    .map(({ data, hits, visitors, bytes }) => ({
      date: data.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'),
      ...{ hits, visitors, bytes },
    }))
    .sort((one, other) => (one.date < other.date ? -1 : 1))
  const { valid_requests: hits, unique_visitors: visitors, bandwidth: bytes } = report.general
  return SiteStatistics.parse({
    ...{ hits, visitors, bytes, days: days.slice(-maxDays) },
    ...Object.fromEntries(
      Object.entries(tables).map(([name, items]) => [
        name,
        toRows(items, statisticsTables[name as TableName].max),
      ]),
    ),
  })
}

// A code, its name and a sentence: only the first two are shown.
const statusText = /^(\d{3}) - ([^:]+)(?::.*)?$/

const toRows = (items: readonly z.infer<typeof Item>[], max: number): NamedRow[] =>
  items
    .toSorted((one, other) => other.hits - one.hits)
    .slice(0, max)
    .map(({ data, hits, visitors, bytes }) => ({ name: shortened(data), hits, visitors, bytes }))

function shortened(text: string): string {
  const shown = text.toWellFormed().replaceAll(/[\0-\x1f\x7f-\x9f]/g, '\ufffd')
  return shown.length > maxText ? `${shown.slice(0, maxText - 1).toWellFormed()}…` : shown
}
