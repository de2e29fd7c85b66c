import type { Db } from '../db.ts'

// The queries of `panel ctl doctor`, but for those about queues.

/** Settings that are off and without which a power cut loses committed changes. */
export const listUnsafeSettings = (db: Db): Promise<string[]> =>
  names(
    db,
    `select name from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
     order by name`,
  )

export async function countConnections(db: Db): Promise<{ used: number; most: number }> {
  const { rows } = await db.query<{ used: number; most: number }>(
    // Of all databases of the server, because they share the limit.
    `select (select sum(numbackends)::int from pg_stat_database) as used,
       current_setting('max_connections')::int as most`,
  )
  return rows[0]!
}

/** Transactions open for over 5 minutes, as process and program. */
export const listOldTransactions = (db: Db): Promise<string[]> =>
  names(
    db,
    `select pid || ' (' || application_name || ')' as name from pg_stat_activity
     where datname = current_database() and xact_start < clock_timestamp() - interval '5 minutes'
       and backend_type = 'client backend'
     order by xact_start`,
  )

export async function readVersion(db: Db): Promise<string> {
  const { rows } = await db.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  return rows[0]!.version
}

/** The server's clock, in milliseconds of Unix time. */
export async function readClock(db: Db): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  return rows[0]!.ms
}

/** How far the newest event lies in the future; negative where it is in the past. */
export async function secondsAhead(db: Db): Promise<number> {
  const { rows } = await db.query<{ ahead: number | null }>(
    `select extract(epoch from created_at - now())::float8 as ahead
     from panel.events order by created_at desc limit 1`,
  )
  return rows[0]?.ahead ?? -1
}

/** How many deliveries are due, and the age of the oldest. */
export async function describeBacklog(db: Db): Promise<{ due: number; oldest_s: number }> {
  const { rows } = await db.query<{ due: number; oldest_s: number }>(
    `select count(*)::int as due,
       coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_s
     from panel.deliveries where state = 'due'`,
  )
  return rows[0]!
}

export type FailedDeliveries = { webhook_id: string; count: number; error: string | null }

/** Deliveries of the last day that failed and were not sent again, with the last error. */
export async function listFailedDeliveries(db: Db): Promise<FailedDeliveries[]> {
  const { rows } = await db.query<FailedDeliveries>(
    `select w.id as webhook_id, f.count, (
         select y.error from panel.tries y
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
     order by f.count desc, w.id`,
  )
  return rows
}

export type Expiring = { domain: string; expires_at: Date }

/** Served certificates that expire within so many days. */
export async function listExpiring(db: Db, days: number): Promise<Expiring[]> {
  const { rows } = await db.query<Expiring>(
    `select s.domain, c.expires_at
     from panel.certificates c join panel.sites s on s.id = c.site_id
     where c.expires_at < now() + make_interval(days => $1)
     order by c.expires_at, s.domain`,
    [days],
  )
  return rows
}

/** Websites whose last order of a certificate failed, with the reason. */
export async function listFailedCertificates(db: Db): Promise<{ domain: string; error: string }[]> {
  const { rows } = await db.query<{ domain: string; error: string }>(
    `select s.domain, coalesce(c.error, 'unknown') as error
     from panel.certificates c join panel.sites s on s.id = c.site_id
     where s.ssl = 'failed'
     order by s.domain`,
  )
  return rows
}

export const listLateCertificates = (db: Db): Promise<string[]> =>
  names(
    db,
    `select s.domain as name
     from panel.certificates c join panel.sites s on s.id = c.site_id
     where c.due_at < now() - interval '15 minutes'
       and (select issues_certificates from panel.server)
     order by c.due_at`,
  )

/** The websites with an installed certificate. */
export async function listInstalled(db: Db): Promise<{ site_id: string; domain: string }[]> {
  const { rows } = await db.query<{ site_id: string; domain: string }>(
    `select c.site_id::text, s.domain
     from panel.certificates c join panel.sites s on s.id = c.site_id
     where c.installed_names is not null
     order by s.domain`,
  )
  return rows
}

/** The names in certificates, those first that are renewed first. */
export const listCertifiedNames = (db: Db, most: number): Promise<string[]> =>
  names(
    db,
    `select unnest(c.installed_names) as name from panel.certificates c
     where c.installed_names is not null order by c.renew_at limit $1`,
    [most],
  )

export const listSiteIds = (db: Db): Promise<string[]> =>
  names(db, 'select id::text as name from panel.sites')

/** The system users of accounts, including those being created or terminated. */
export const listUsernames = (db: Db): Promise<string[]> =>
  names(db, `select username as name from panel.accounts where state <> 'terminated'`)

/** Accounts that were not fully applied to the machine, and have no operation under way. */
export const listNotApplied = (db: Db): Promise<string[]> =>
  names(
    db,
    `select a.username as name from panel.accounts a
     where not a.is_applied and a.state in ('active', 'suspended')
       and not exists (
         select from panel.operations o
         where o.account_id = a.id and o.state in ('parked', 'queued', 'running', 'undoing'))
     order by a.username`,
  )

export async function listWarnings(db: Db): Promise<{ warning: string; accounts: number }[]> {
  const { rows } = await db.query<{ warning: string; accounts: number }>(
    `select warning, count(*)::int as accounts
     from panel.accounts a, unnest(a.warnings) as warning
     where a.state in ('active', 'suspended')
     group by warning order by warning`,
  )
  return rows
}

/** The accounts that may run no process. */
export async function listAsleep(db: Db): Promise<{ uid: number; username: string }[]> {
  const { rows } = await db.query<{ uid: number; username: string }>(
    `select uid, username from panel.accounts where state in ('suspended', 'terminated')`,
  )
  return rows
}

/** The accounts of these uids that were terminated more than so many hours ago. */
export const listTerminated = (db: Db, uids: readonly number[], hours: number): Promise<string[]> =>
  names(
    db,
    `select username || ' (' || uid || ')' as name from panel.accounts
     where uid = any ($1) and terminated_at < now() - make_interval(hours => $2)
     order by terminated_at`,
    [uids, hours],
  )

async function names(db: Db, text: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(text, values)
  return rows.map(({ name }) => name)
}
