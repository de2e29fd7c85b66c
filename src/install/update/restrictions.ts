import type pg from 'pg'
import { all, anyFirst, run, oneFirst } from '../../db.ts'
import { keepDatabaseRights, readDatabaseRights } from './database-rights.ts'

// Carries restrictions over to the restored rows: suspensions, keys and database users that were
// removed, addresses from which administrators may sign in. Restrictions only in the earlier rows
// apply again.

export type Restrictions = Awaited<ReturnType<typeof readRestrictions>>

/** Returns the restrictions in the rows that are about to be replaced. */
export async function readRestrictions(client: pg.Client) {
  return {
    accounts: await anyFirst<object>(client)`
      select jsonb_build_object('id', a.id, 'state', a.state, 'package', p.name)
      from panel.accounts a join panel.packages p on p.id = a.package_id
      where a.state <> 'terminated'`,
    // An account being terminated can no longer be, and is not given back.
    suspended: await anyFirst<object>(client)`
      select jsonb_build_object('id', id, 'since', coalesce(suspended_at, now()),
        'by', case desired when 'suspended' then suspended_by else 'administrator' end,
        'reason', case desired when 'suspended' then suspend_reason else ${terminating} end)
      from panel.accounts where desired <> 'active' and state <> 'terminated'`,
    sellers: await anyFirst<object>(client)`
      select jsonb_build_object('id', id, 'since', suspended_at)
      from panel.sellers where suspended_at is not null`,
    keys: await anyFirst<object>(client)`
      select jsonb_build_object('account_id', account_id, 'key', key)
      from panel.sftp_keys where desired = 'present'`,
    databases: await readDatabaseRights(client),
    ranges: await anyFirst<string>(client)`select range::text from panel.sign_in_ranges`,
    demandsSecondFactor: await oneFirst<boolean>(client)`
      select demands_second_factor from panel.server`,
  }
}

const terminating = 'It was being terminated when an earlier database was restored'

/** Restricts the earlier rows as much; returns sentences about it. */
export async function keepRestrictions(client: pg.Client, before: Restrictions): Promise<string[]> {
  const suspended = await anyFirst<string>(client)`
    update panel.accounts a
    set desired = 'suspended', state = 'suspended', suspended_at = b.since, suspended_by = b.by,
      suspend_reason = b.reason
    from jsonb_to_recordset(${JSON.stringify(before.suspended)})
      as b (id bigint, since timestamptz, by text, reason text)
    where b.id = a.id and a.state in ('active', 'suspended')
      and (a.desired, a.state, a.suspended_by, a.suspend_reason)
        is distinct from ('suspended', 'suspended', b.by, b.reason)
    returning a.username`
  const sellers = await anyFirst<string>(client)`
    update panel.sellers s
    set suspended_at = b.since
    from jsonb_to_recordset(${JSON.stringify(before.sellers)}) as b (id bigint, since timestamptz)
    where b.id = s.id and s.suspended_at is null
    returning (select min(o.name) from panel.operators o where o.seller_id = s.id)`
  const keys = await anyFirst<string>(client)`
    delete from panel.sftp_keys k
    using panel.accounts a
    where a.id = k.account_id and (k.account_id, k.key) not in (
      select account_id, key
      from jsonb_to_recordset(${JSON.stringify(before.keys)}) as b (account_id bigint, key text))
    returning a.username`
  const rights = await keepDatabaseRights(client, before.databases)
  if (before.ranges.length > 0) {
    await run(client)`delete from panel.sign_in_ranges`
    await run(client)`
      insert into panel.sign_in_ranges (range) select unnest(${before.ranges}::cidr[])`
  }
  await run(client)`
    update panel.server
    set demands_second_factor = demands_second_factor or ${before.demandsSecondFactor}`
  const changed = await all<{ username: string; is_suspended: boolean; is_moved: boolean }>(client)`
    select a.username, (b.state, a.state) = ('active', 'suspended')
        and a.username <> all (${suspended}) as is_suspended,
      b.package <> p.name as is_moved
    from jsonb_to_recordset(${JSON.stringify(before.accounts)})
      as b (id bigint, state text, package text)
    join panel.accounts a on a.id = b.id and a.state in ('active', 'suspended')
    join panel.packages p on p.id = a.package_id`
  const named = (which: 'is_suspended' | 'is_moved') =>
    changed.filter(one => one[which]).map(({ username }) => username)
  return [
    ...sentence('Suspended since, and still suspended', suspended),
    ...sentence('Suspended again, although unsuspended since', named('is_suspended')),
    ...sentence('Back on their earlier package', named('is_moved')),
    ...sentence('Resellers suspended since, and still suspended', sellers),
    ...sentence('SFTP keys removed since stay removed for', keys),
    ...sentence('Database rights withdrawn since stay withdrawn for', rights),
    ...sentence('Administrators can still sign in only from', before.ranges),
  ]
}

/** Returns a sentence with the names that it is about, or none. */
export const sentence = (words: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${words}: ${[...new Set(names)].toSorted().join(', ')}`]
