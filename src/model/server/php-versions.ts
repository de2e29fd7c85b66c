import { all, anyFirst, type Db, oneFirst } from '../../db.ts'
import { write } from '../operations/writes.ts'

// The versions of PHP: which one accounts run by default, and what uses each.

/** Chooses the version that accounts run by default; null for the newest. */
export const choosePhp = write<{ version: string | null }>({
  name: 'server/set-php',
  subject: ({ version }) => version ?? newest,
  decide: async (_, { desired: { version } }) => ({
    accountId: null,
    params: { php_version: version },
  }),
})

/** The word for the newest version that is installed. */
export const newest = 'newest'

/** Returns the version that was chosen as the default; null for the newest. */
export const readPhpVersion = (db: Db) =>
  oneFirst<string | null>(db)`select php_version from panel.server`

export type PhpUse = { version: string | null; accounts: number; websites: number }

/**
 * Counts the accounts and websites that use each version; null stands for the default. An account
 * counts for each version that its websites use, and one without websites for the default.
 */
export const countPhpUse = (db: Db, installed: readonly string[]) => all<PhpUse>(db)`
  select coalesce(s.settings #>> '{php,version}',
      (select v from unnest(p.php_allowed) with ordinality as t (v, at)
       where v = any(${installed}) order by at limit 1)) as version,
    count(distinct a.id)::integer as accounts, count(s.id)::integer as websites
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  left join panel.sites s on s.account_id = a.id and s.desired = 'present'
  where a.state <> 'terminated'
  group by 1`

export type PhpSite = { accountId: string; username: string; domain: string; version: string }

/** Lists the websites that have chosen a version. */
export const listPhpSites = (db: Db) => all<PhpSite>(db)`
  select a.id::text as "accountId", a.username, s.domain, s.settings #>> '{php,version}' as version
  from panel.accounts a
  join panel.sites s on s.account_id = a.id and s.desired = 'present'
  where a.state <> 'terminated' and s.settings #>> '{php,version}' is not null
  order by s.id`

/** Returns the accounts with websites that have PHP settings, but no version of their own. */
export const listPhpFollowers = (db: Db) => anyFirst<string>(db)`
  select distinct s.account_id::text
  from panel.sites s
  join panel.accounts a on a.id = s.account_id
  join panel.packages p on p.id = a.package_id
  where s.desired = 'present' and (s.settings ? 'php' or p.php_allowed <> '{}')
    and s.settings #>> '{php,version}' is null`

/** Returns the accounts whose package names a version, which may be the default of its websites. */
export const listPhpPackaged = (db: Db, version: string) => anyFirst<string>(db)`
  select a.id::text
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  where a.state <> 'terminated' and ${version} = any(p.php_allowed)`

/** Lists packages that allow only other versions than these. */
export const listPackagesWithout = (db: Db, installed: readonly string[]) => anyFirst<string>(db)`
  select name
  from panel.packages
  where php_allowed <> '{}' and not php_allowed && ${installed}::text[]
  order by name`

/** When PHP's own support of versions ends (php.net/supported-versions, php.net/eol). */
const supportedUntil: Record<string, string> = {
  '5.6': '2018-12-31',
  '7.0': '2019-01-10',
  '7.1': '2019-12-01',
  '7.2': '2020-11-30',
  '7.3': '2021-12-06',
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
}

/** Returns the last day of PHP's own support of a version, if it is known. */
export const endOfSupport = (version: string): string | null => supportedUntil[version] ?? null
