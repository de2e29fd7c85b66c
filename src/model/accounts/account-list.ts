import { z } from 'zod'
import { all, type Db, sql } from '../../db.ts'
import { isSeenBy, type Caller } from '../signing-in/callers.ts'
import { packageName, username } from '../grammar/grammar.ts'
import { isEncoded, isPartOf, searchWord } from '../grammar/search-words.ts'

// Lists of accounts for pages and commands: searched, filtered, sorted and paged.

// Sort expressions use subqueries on the account alone, so that an order joins only what it needs.
const sorts = {
  username: sql`a.username collate "C"`,
  package: sql`(select p.name collate "C" from panel.packages p where p.id = a.package_id)`,
  created: sql`a.created_at`,
  disk: sql`coalesce((
    select d.bytes + d.database_bytes from panel.disk_usage d where d.account_id = a.id), 0)`,
}

type Sort = keyof typeof sorts
const sortNames = Object.keys(sorts).flatMap(name => [name, `-${name}`]) as (Sort | `-${Sort}`)[]

/** The query parameters that a list accepts. */
export const AccountQuery = z.object({
  q: z.string().max(254).optional(),
  state: z.enum(['provisioning', 'active', 'suspended', 'terminating']).optional(),
  package: packageName.optional(),
  /** A reseller's name; `-`, which is not a valid username, stands for none. */
  seller: z.union([username, z.literal(['admin', '-'])]).optional(),
  sort: z.enum(sortNames).default('username'),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
})

export type ListedAccount = {
  username: string
  state: string
  email: string
  package: string
  /** Null for an account in the server's own catalogue. */
  seller: string | null
  domain: string | null
  sites: number
  disk_mb: number
  used_mb: number
  created_at: Date
  /** The number of accounts on all pages. */
  total: number
}

/** The number of accounts on a page. */
export const accountsPerPage = 50

/** Returns one page of the accounts that the caller sees. */
export async function listForPeople(
  db: Db,
  caller: Caller,
  query: z.output<typeof AccountQuery>,
): Promise<ListedAccount[]> {
  const { q, state, seller, sort, page } = query
  const word = q === undefined ? null : searchWord(q)
  const part = word === null ? null : partly(word)
  // A reference is matched as entered: it is not a domain, even if it looks like one.
  const reference = q === undefined ? null : partly(q.trim().toLowerCase())
  const encoded = word === null ? [] : await encodedDomains(db, word)
  const rank = sorts[sort.replace('-', '') as Sort]
  const order = sql`by_rank ${sort.startsWith('-') ? sql`desc` : sql``}, by_name`
  return all<ListedAccount>(db)`
    with matched as materialized (
      select a.id, a.username collate "C" as by_name, ${rank} as by_rank
      from panel.accounts a
      where a.state <> 'terminated' and ${isSeenBy(caller)}
        and (${state}::text is null or a.state = ${state})
        and (${query.package}::text is null or a.package_id in (
          select id from panel.packages where name = ${query.package}))
        and (${seller}::text is null or a.seller_id = (
          select s.id from panel.sellers s
          left join panel.operators o on o.seller_id = s.id and o.role = 'reseller'
          where coalesce(o.name, '-') = ${seller}))
        and (${part}::text is null or a.username like ${part} or lower(a.email) like ${part}
          or lower(a.reference) like ${reference}
          or a.id in (
            select account_id from panel.sites
            where domain like ${part} or domain = any(${encoded})))
    ), shown as (
      select * from matched
      order by ${order}
      limit ${accountsPerPage} offset ${(page - 1) * accountsPerPage}
    )
    select a.username, a.state, a.email, p.name as package, o.name as seller, w.domain, w.sites,
      p.disk_mb, ceil(coalesce(d.bytes + d.database_bytes, 0)::float8 / 1048576) as used_mb,
      a.created_at,
      (select count(*)::int from matched) as total
    from shown
    join panel.accounts a on a.id = shown.id
    join panel.packages p on p.id = a.package_id
    left join panel.operators o on o.seller_id = a.seller_id and o.role = 'reseller'
    left join panel.disk_usage d on d.account_id = a.id
    cross join lateral (
      select (array_agg(w.domain order by w.id))[1] as domain, count(*)::int as sites
      from panel.sites w where w.account_id = a.id and w.added_by is null) w
    order by ${order}`
}

// Returns the LIKE pattern that finds a word anywhere in a text.
const partly = (word: string): string => `%${word.replace(/[%_\\]/g, '\\$&')}%`

// Returns the stored domains that contain a word in Unicode; PostgreSQL knows only their ASCII
// form. Ten thousand of them take 20 ms, and only a search for such a word waits for it.
async function encodedDomains(db: Db, word: string): Promise<string[]> {
  if (!isEncoded(word)) return []
  const found = await all<{ domain: string }>(db)`
    select domain from panel.sites where domain like '%xn--%'`
  return found.map(({ domain }) => domain).filter(domain => isPartOf(word, domain))
}
