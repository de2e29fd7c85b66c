import { z } from 'zod'
import { all, type Db, maybeOne, run, type Sql, sql } from '../../db.ts'
import { HostAccount } from './host-account.ts'
import type { DiskUse, DiskUser } from '../server/host.ts'
import * as accounts from './accounts.ts'
import { isSeenBy, type Caller } from '../signing-in/callers.ts'

/** The usage of an account: disk now, bandwidth in the current month, UTC. */
export const Usage = z.strictObject({
  username: z.string(),
  disk_used_mb: z.int().describe('Files and databases, rounded up'),
  database_used_mb: z.int().describe('The part of it that databases take, rounded up'),
  disk_limit_mb: z.int().describe("The limit of the account's package"),
  bandwidth_used_mb: z.int().describe('In the month of `period`, rounded up'),
  period: z.string().describe('The current month, UTC, as YYYY-MM'),
  measured_at: z.iso.datetime().nullable().describe('Null before the first measurement'),
})

export type Usage = z.infer<typeof Usage>

export const UsageList = z.strictObject({ usage: z.array(Usage) })

// Selects usage in whole megabytes, rounded up, so that a little is never shown as nothing. Floats
// are exact up to eight petabytes, where integers end at two; numeric is slower.
const select = sql`
  select a.username,
    ceil(coalesce(d.bytes + d.database_bytes, 0)::float8 / 1048576) as disk_used_mb,
    ceil(coalesce(d.database_bytes, 0)::float8 / 1048576) as database_used_mb,
    p.disk_mb as disk_limit_mb,
    ceil(coalesce(b.bytes, 0)::float8 / 1048576) as bandwidth_used_mb,
    m.period,
    to_char(greatest(d.measured_at, b.measured_at) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as measured_at
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  -- The offset makes PostgreSQL compute this once instead of once per account.
  cross join (
    select month::date, to_char(month, 'YYYY-MM') as period
    from date_trunc('month', now() at time zone 'UTC') as month
    offset 0) m
  left join panel.disk_usage d on d.account_id = a.id
  left join panel.bandwidth_usage b on b.account_id = a.id and b.month = m.month
  where a.state <> 'terminated'`

/** Returns the usage of every account that the caller sees, by username, in one query. */
export const list = (db: Db, caller: Caller) => all<Usage>(db, 'list_usage')`
  ${select} and ${isSeenBy(caller)} order by a.username collate "C"`

export async function get(db: Db, caller: Caller, username: string): Promise<Usage> {
  const { id } = await accounts.get(db, caller, username)
  const usage = await ofAccount(db, id)
  if (usage === undefined) throw accounts.unknown(username)
  return usage
}

/** Returns the usage of one account; undefined if it is gone. */
export const ofAccount = (db: Db, accountId: string) =>
  maybeOne<Usage>(db, 'get_usage')`${usageOf(sql`${accountId}`)}`

/** Returns the query of one account's usage, for use inside a statement. */
export const usageOf = (accountId: Sql): Sql => sql`${select} and a.id = ${accountId}`

const User = HostAccount.pick({ id: true, uid: true, username: true })

/** Lists the accounts that have files, or just one of them. Invalid rows are left out. */
export async function listMeasurable(db: Db, id: string | null = null): Promise<DiskUser[]> {
  const rows = await all(db)`
    select id, uid, username from panel.accounts
    where state in ('active', 'suspended') and id = coalesce(${id}::bigint, id)
    order by id`
  return rows.flatMap(row => User.safeParse(row).data ?? [])
}

/** Stores the latest measurement; accounts that are gone by now are skipped. */
export const recordDisk = (db: Db, uses: readonly DiskUse[]) => run(db, 'record_disk_usage')`
  with measured as (
    select a.id, m.bytes, m.measured_at
    from unnest(
      ${uses.map(({ id }) => id)}::bigint[],
      ${uses.map(({ bytes }) => bytes)}::bigint[],
      ${uses.map(({ measuredAt }) => measuredAt)}::timestamptz[]
    ) as m (account_id, bytes, measured_at)
    join panel.accounts a on a.id = m.account_id
  ), of_month as (
    insert into panel.disk_months (account_id, month, bytes)
    select id, date_trunc('month', measured_at at time zone 'UTC'), bytes from measured
    on conflict (account_id, month) do update set bytes = excluded.bytes
  )
  insert into panel.disk_usage as u (account_id, bytes, measured_at)
  select id, bytes, measured_at from measured
  on conflict (account_id) do update
  set bytes = excluded.bytes, measured_at = excluded.measured_at`

/** The traffic or disk usage of one month, as YYYY-MM. */
export type MonthOfUsage = { month: string; mb: number }

/** Returns the traffic of an account in each of the last 12 months that had any. */
export const listMonths = (db: Db, accountId: string) =>
  all<MonthOfUsage>(db, 'list_months')`${monthsOf(sql`${accountId}`)}`

/** Returns the disk usage at the end of each of those months that was measured. */
export const listDiskMonths = (db: Db, accountId: string) =>
  all<MonthOfUsage>(db, 'list_disk_months')`${diskMonthsOf(sql`${accountId}`)}`

/** The queries of both lists, for use inside a statement. */
export const monthsOf = (accountId: Sql): Sql => sql`
  select to_char(month, 'YYYY-MM') as month, ceil(bytes::float8 / 1048576) as mb
  from panel.bandwidth_usage
  where account_id = ${accountId} and month > now() - interval '12 months'
  order by month`

export const diskMonthsOf = (accountId: Sql): Sql => sql`
  select to_char(month, 'YYYY-MM') as month, ceil(bytes::float8 / 1048576) as mb
  from panel.disk_months
  where account_id = ${accountId} and month > now() - interval '12 months'
  order by month`
