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
export const countPhpUse = (db: Db) => all<PhpUse>(db)`
  select s.settings #>> '{php,version}' as version, count(distinct a.id)::integer as accounts,
    count(s.id)::integer as websites
  from panel.accounts a
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
  select distinct account_id::text
  from panel.sites
  where desired = 'present' and settings ? 'php'
    and settings #>> '{php,version}' is null`

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
