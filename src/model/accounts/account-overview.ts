import { type Db, maybeOne, type Sql, sql } from '../../db.ts'
import { type AccountRecord, isName, unknown } from './accounts.ts'
import { isSeenBy, type Caller } from '../signing-in/callers.ts'
import { type Database, type DatabaseSize, databasesOf } from '../databases/databases.ts'
import { type ShownSite, shownSitesOf } from '../sites/shown-sites.ts'
import { diskMonthsOf, type MonthOfUsage, monthsOf, type Usage, usageOf } from './usage.ts'

/** An account with its resources and usage. */
export type AccountOverview = {
  record: AccountRecord
  usage: Usage | null
  sites: ShownSite[]
  databases: (Database & DatabaseSize)[]
  traffic: MonthOfUsage[]
  disk: MonthOfUsage[]
  /** The reason why databases cannot be created or changed now. */
  databasesWarning: string | null
}

/**
 * Returns an account with its resources and usage, in one round trip.
 *
 * @throws {PanelError} `account_unknown` if the caller does not see it
 */
export async function getOverview(
  db: Db,
  caller: Caller,
  username: string,
): Promise<AccountOverview> {
  if (!isName(username)) throw unknown(username)
  const found = await maybeOne<AccountOverview>(db, 'account_overview')`
    select r.record,
      (select row_to_json(u) from (${usageOf(sql`shown.id`)}) u) as usage,
      ${listed(shownSitesOf(sql`shown.id`))} as sites,
      ${listed(databasesOf(sql`shown.id`))} as databases,
      ${listed(monthsOf(sql`shown.id`))} as traffic,
      ${listed(diskMonthsOf(sql`shown.id`))} as disk,
      (select service_warnings ->> 'databases' from panel.server) as "databasesWarning"
    from (
      select a.id from panel.accounts a
      where a.username = ${username} and a.state <> 'terminated' and ${isSeenBy(caller)}) shown
    cross join panel.account_record(shown.id) r`
  if (found === undefined) throw unknown(username)
  return found
}

const listed = (rows: Sql): Sql =>
  sql`coalesce((select json_agg(row_to_json(l)) from (${rows}) l), '[]')`
