import { all, anyFirst, type Db, one, oneFirst } from '../../db.ts'
import type { Websites } from './host.ts'

// The queries of `panel ctl doctor`, except those about queues.

/** Lists settings that are off and without which a power cut loses committed changes. */
export const listUnsafeSettings = (db: Db) => anyFirst<string>(db)`
  select name from pg_settings
  where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
  order by name`

/** Counts connections to all databases of the server, because they share the limit. */
export const countConnections = (db: Db) => one<{ used: number; max: number }>(db)`
  select (select sum(numbackends)::int from pg_stat_database) as used,
    current_setting('max_connections')::int as max`

/** Lists transactions open for over 5 minutes, as process and program. */
export const listOldTransactions = (db: Db) => anyFirst<string>(db)`
  select pid || ' (' || application_name || ')' from pg_stat_activity
  where datname = current_database() and xact_start < clock_timestamp() - interval '5 minutes'
    and backend_type = 'client backend'
  order by xact_start`

export const readVersion = (db: Db) =>
  oneFirst<string>(db)`select current_setting('server_version')`

/** Returns the server's clock, in milliseconds of Unix time. */
export const readClock = (db: Db) => oneFirst<number>(db)`
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`

/** Returns how many seconds the newest event lies in the future; negative if it is in the past. */
export const secondsAhead = (db: Db) => oneFirst<number>(db)`
  select coalesce(extract(epoch from max(created_at) - now()), -1)::float8 from panel.events`

/** Returns the number of due deliveries and the age of the oldest in seconds. */
export const describeBacklog = (db: Db) => one<{ due: number; oldest_s: number }>(db)`
  select count(*)::int as due,
    coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_s
  from panel.deliveries where state = 'due'`

export type FailedDeliveries = { webhook_id: string; count: number; error: string | null }

/** Lists deliveries of the last day that failed and were not sent again, with the last error. */
export const listFailedDeliveries = (db: Db) => all<FailedDeliveries>(db)`
  select w.id as webhook_id, f.count, (
      select y.error from panel.attempts y
      where y.delivery_id = f.last order by y.number desc limit 1) as error
  from panel.webhooks w
  cross join lateral (
    select count(*)::int as count, (array_agg(d.id order by d.created_at desc))[1] as last
    from panel.deliveries d join panel.events e on e.id = d.event_id
    where d.webhook_id = w.id and d.created_at > now() - interval '1 day'
      and d.state = 'failed' and not e.is_test
      and not exists (
        select from panel.deliveries r
        where r.webhook_id = w.id and r.created_at > now() - interval '1 day'
          and r.redelivery_of = d.id)) f
  where w.removed_at is null and f.count > 0
  order by f.count desc, w.id`

/** Lists accounts whose names have become reserved. */
export const listReservedNames = (db: Db) => anyFirst<string>(db)`
  select username from panel.accounts
  where state <> 'terminated' and panel.is_reserved(username)
  order by username`

/** Lists websites below one of another account, unless a shared parent permits it. */
export const listNested = (db: Db) => anyFirst<string>(db)`
  select c.name || ' of ' || a.username || ' below ' || n.name || ' of ' || b.username
  from panel.site_names c
  join panel.sites s on s.id = c.site_id
  cross join lateral string_to_array(c.name, '.') as labels
  cross join lateral generate_series(2, cardinality(labels)) as first
  join panel.site_names n on n.name = array_to_string(labels[first:], '.')
  join panel.sites o on o.id = n.site_id and o.account_id <> s.account_id
  join panel.accounts a on a.id = s.account_id
  join panel.accounts b on b.id = o.account_id
  -- Each name has one with www, which is below the same names.
  where not exists (select from panel.site_names w where c.name = 'www.' || w.name)
    and not exists (
    select from generate_series(2, first) as nearer
    join panel.shared_parents p on p.domain = array_to_string(labels[nearer:], '.'))
  order by c.name, n.name`

type FailedCertificate = { username: string; domain: string; error: string }

/** Lists websites whose last certificate order failed, with the reason. */
export const listFailedCertificates = (db: Db) => all<FailedCertificate>(db)`
  select a.username, s.domain, coalesce(c.error, 'unknown') as error
  from panel.certificates c
  join panel.sites s on s.id = c.site_id
  join panel.accounts a on a.id = s.account_id
  where s.ssl = 'failed'
  order by s.domain`

export const listLateCertificates = (db: Db) => anyFirst<string>(db)`
  select s.domain
  from panel.certificates c join panel.sites s on s.id = c.site_id
  where c.due_at < now() - interval '15 minutes'
    and (select issues_certificates from panel.server)
  order by c.due_at`

/** Lists the websites with an installed certificate. */
export const listInstalled = (db: Db) => all<{ site_id: string; domain: string }>(db)`
  select c.site_id::text, s.domain
  from panel.certificates c join panel.sites s on s.id = c.site_id
  where c.installed_names is not null
  order by s.domain`

/** Lists the names in certificates, those renewed first at the top. */
export const listCertifiedNames = (db: Db, max: number) => anyFirst<string>(db)`
  select unnest(c.installed_names) from panel.certificates c
  where c.installed_names is not null order by c.renew_at limit ${max}`

export const listSiteIds = (db: Db) => anyFirst<string>(db)`
  select id::text from panel.sites`

/**
 * Returns those of these websites and names that no row knows; websites that are being deleted are
 * known.
 */
export const listOrphaned = async (db: Db, found: Websites): Promise<Websites> => ({
  siteIds: await anyFirst<string>(db)`
    select unnest(${found.siteIds}::text[]) except select id::text from panel.sites`,
  names: await anyFirst<string>(db)`
    select unnest(${found.names}::text[]) except select name from panel.site_names`,
})

/** Lists the system users of accounts, including those being created or terminated. */
export const listUsernames = (db: Db) => anyFirst<string>(db)`
  select username from panel.accounts where state <> 'terminated'`

/**
 * Lists accounts with an operation since this time: their state on the machine may rightly differ
 * from rows that were read then.
 */
export const listWorkedFor = (db: Db, since: Date) => anyFirst<string>(db)`
  select distinct o.username from panel.operations o
  where o.account_id is not null
    and (o.state in ('running', 'undoing')
      or o.state in ('done', 'failed') and o.finished_at >= ${since})`

export const listWarnings = (db: Db) => all<{ warning: string; accounts: number }>(db)`
  select w ->> 'sentence' as warning, count(*)::int as accounts
  from panel.accounts a, jsonb_array_elements(a.warnings) as w
  where a.state in ('active', 'suspended')
  group by w ->> 'code', w ->> 'sentence' order by w ->> 'code', w ->> 'sentence'`

/** Lists the accounts that may not run processes. */
export const listAsleep = (db: Db) => all<{ uid: number; username: string }>(db)`
  select uid, username from panel.accounts where state in ('suspended', 'terminated')`

/** Lists the accounts of these uids that were terminated more than `hours` ago. */
export const listTerminated = (db: Db, uids: readonly number[], hours: number) =>
  anyFirst<string>(db)`
    select username || ' (' || uid || ')' from panel.accounts
    where uid = any (${uids}) and terminated_at < now() - make_interval(hours => ${hours})
    order by terminated_at`
