import { z } from 'zod'
import { all, type Db, run } from '../../db.ts'
import { HostAccount } from '../accounts/host-account.ts'
import { ClosedFolders } from './closed-folders.ts'

// Rules in .htaccess files as the worker last read them: those that the panel does not apply, and
// the folders that it closes because of them.

/** Rules of one file, by directive. */
const File = z.strictObject({
  /** The path below the public folder. */
  path: z.string().max(300),
  counts: z.record(z.string().regex(/^\w{1,64}$/), z.int().min(1)),
})

export const SiteRules = z.strictObject({
  /** The number in all files. */
  count: z.int().min(0),
  fileCount: z.int().min(0),
  /** The first files. */
  files: z.array(File).max(20),
  /** Whether everything was read, rather than as much as the time and size limits allowed. */
  isWhole: z.boolean(),
  /** The folders that files close, which nginx applies. */
  closed: ClosedFolders.default([]),
})

export type SiteRules = z.infer<typeof SiteRules>

const Account = HostAccount.pick({ id: true, uid: true, username: true }).extend({
  sites: HostAccount.shape.sites,
})

/** An account and its websites, for reading their files. */
export type RulesAccount = z.infer<typeof Account>

export type FoundRules = { accountId: string; sites: { siteId: string; rules: SiteRules }[] }

/** Lists accounts with websites, or just one; invalid rows are left out. */
export async function listAccounts(db: Db, accountId: string | null): Promise<RulesAccount[]> {
  const rows = await all(db)`
    select a.id, a.uid, a.username,
      json_agg(
        json_build_object(
          'id', s.id::text, 'domain', s.domain, 'settings', s.settings)
        order by s.id) as sites
    from panel.accounts a
    join panel.sites s on s.account_id = a.id and s.desired = 'present'
    where a.state in ('active', 'suspended') and a.id = coalesce(${accountId}::bigint, a.id)
    group by a.id
    order by a.id`
  return rows.flatMap(row => Account.safeParse(row).data ?? [])
}

export const record = (db: Db, { accountId, sites }: FoundRules) =>
  run(db)`select panel.record_site_rules(${accountId}, ${JSON.stringify(sites)})`

type Unapplied = {
  username: string
  domain: string
  rules: SiteRules
  seconds: number
  total: number
}

/**
 * Lists websites with rules that are not applied, or partly read, and how many seconds ago that
 * was.
 */
export const listUnapplied = (db: Db) => all<Unapplied>(db)`
  select a.username, s.domain, r.found as rules,
    extract(epoch from now() - r.read_at)::float8 as seconds,
    (count(*) over ())::int as total
  from panel.site_rules r
  join panel.sites s on s.id = r.site_id
  join panel.accounts a on a.id = s.account_id
  where (r.found ->> 'count')::int > 0 or (r.found ->> 'isWhole') = 'false'
  order by (r.found ->> 'count')::int = 0, s.domain
  limit 5`

const filesInSentence = 3
const directivesInSentence = 4

/**
 * Describes the rules that are not applied, as a sentence without its end; undefined if none are
 * known.
 */
export function inWords({ count, fileCount, files, isWhole }: SiteRules): string | undefined {
  if (count === 0) {
    return isWhole
      ? undefined
      : 'Not all .htaccess files were read: there are too many, or they are too large'
  }
  const some = files.slice(0, filesInSentence)
  const more = fileCount - some.length
  const parts = [
    ...some.map(({ path, counts }) => `${directivesIn(counts)} in ${path}`),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? 'file' : 'files'}`] : []),
  ]
  const [singular, verb] = count === 1 ? ['rule', 'is'] : ['rules', 'are']
  const part = isWhole ? '' : ' (only partly read)'
  return `${count} ${singular} in .htaccess ${verb} not applied: ${parts.join('; ')}${part}`
}

const foldersInSentence = 10

/** Describes the folders that are closed; undefined if there are none. */
export function closedInWords({ closed }: SiteRules): string | undefined {
  if (closed.length === 0) return undefined
  const more = closed.length - foldersInSentence
  const folders = closed.slice(0, foldersInSentence).join(', ')
  return `Closed to visitors by .htaccess: ${folders}${more > 0 ? ` and ${more} more` : ''}`
}

function directivesIn(counts: Record<string, number>): string {
  // The database stores them in its own order.
  const all = Object.entries(counts).sort(([, one], [, other]) => other - one)
  const some = all.slice(0, directivesInSentence)
  const more = all.slice(directivesInSentence).reduce((sum, [, count]) => sum + count, 0)
  const words = some.map(([name, count]) => `${count} ${name}`)
  return [...words, ...(more > 0 ? [`${more} others`] : [])].join(', ')
}
