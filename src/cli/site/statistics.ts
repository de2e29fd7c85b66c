import { z } from 'zod'
import { machineOf } from '../../host/machine.ts'
import { readSiteStatistics } from '../../host/web/site-statistics.ts'
import { get } from '../../model/accounts/accounts.ts'
import { siteDomain } from '../../model/grammar/grammar.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { findSite } from '../../model/sites/site-changes.ts'
import { statisticsTables, type TableName } from '../../model/sites/site-statistics.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ domain: siteDomain })

export class SiteStatisticsCommand extends DatabaseCommand {
  static override summary = 'show statistics of the visitors of a website'
  static override details = `
    Computed by GoAccess from the access log of the website and the one before it: visitors,
    requests and bytes of each day, and the most frequent pages, missing pages, referring websites,
    browsers and status codes. Queries are left out of paths.
  `
  static override examples = { 'Show them': '$0 alice example.com' }

  username = argument('USERNAME', 'accounts')
  domain = argument('DOMAIN', 'sites')

  async act(): Promise<void> {
    const { domain } = this.parse(Words)
    const { db, config } = await this.open()
    const account = await get(db, await rootCaller(db), this.username)
    await findSite(db, account, domain)
    const found = await readSiteStatistics(machineOf(config), account, domain)
    const { hits, visitors, bytes, days } = found
    const head = ['REQUESTS', 'VISITORS', 'BYTES']
    const total = [...days, { date: 'all', hits, visitors, bytes }]
    const parts = [
      table(
        ['DAY', ...head],
        total.map(day => [day.date, day.hits, day.visitors, day.bytes]),
      ),
      ...Object.entries(statisticsTables).flatMap(([name, { of }]) => {
        const rows = found[name as TableName]
        if (rows.length === 0) return []
        const heading = name === 'missing' ? 'PATH NOT FOUND' : of.toUpperCase()
        return [
          table(
            [heading, ...head],
            rows.map(row => [row.name, row.hits, row.visitors, row.bytes]),
          ),
        ]
      }),
    ]
    this.show(found, display => parts.map(part => part(display)).join('\n'))
  }
}
