import { all, type Db, sql, type Sql } from '../../db.ts'
import { isSeenBy, type Caller } from '../signing-in/callers.ts'
import { resourceSuggestions } from '../operations/resource-kinds.ts'
import { searchWord } from '../grammar/search-words.ts'

// Suggestions for a search while it is typed: everything that the caller sees, by name.

export type SuggestionKind =
  | 'account'
  | (typeof resourceSuggestions)[number]['kind']
  | 'package'
  | 'reseller'
  | 'administrator'
  | 'webhook'

/** Something that a search has found. */
export type Suggestion = {
  kind: SuggestionKind
  name: string
  /** The account that it belongs to, or the id of a webhook; null where the name is enough. */
  of: string | null
}

/** The number of suggestions of each kind. */
const perKind = 4

/**
 * Returns what the word is a part of, for each kind first what begins with it. Ten thousand
 * accounts take some 20 ms.
 */
export async function suggest(db: Db, caller: Caller, q: string): Promise<Suggestion[]> {
  const word = searchWord(q)
  if (word === '') return []
  const escaped = word.replace(/[%_\\]/g, '\\$&')
  const [start, part] = [`${escaped}%`, `%${escaped}%`]
  const isAdministrator = caller.role === 'administrator'
  const isCustomer = caller.role === 'customer'
  return all<Suggestion>(db, 'suggest')`
    with found as (
      (select 1 as rank, 'account' as kind, a.username as name, null as of,
          a.username like ${start} as is_start
        from panel.accounts a
        where a.state <> 'terminated' and ${isSeenBy(caller)} and not ${isCustomer}
          and (a.username like ${part} or lower(a.email) like ${part}
            or lower(a.reference) like ${part})
        order by is_start desc, name limit ${perKind})
      ${resourcesOf(caller, start, part)}
      union all
      (select 101, 'package', p.name, null, lower(p.name) like ${start} as is_start
        from panel.packages p
        where lower(p.name) like ${part} and not ${isCustomer} and ${isOfOwn(caller)}
        order by is_start desc, name limit ${perKind})
      union all
      (select 102, o.role, o.name, null, o.name like ${start} as is_start
        from panel.operators o
        where ${isAdministrator} and (o.name like ${part} or lower(o.email) like ${part})
        order by is_start desc, name limit ${perKind})
      union all
      (select 103, 'webhook', w.url, w.id::text, false as is_start
        from panel.webhooks w
        where ${isAdministrator} and lower(w.url) like ${part}
        order by url limit ${perKind}))
    select kind, name, of from found
    order by rank, is_start desc, name collate "C"`
}

// Root has no catalogue, and no search.
const isOfOwn = ({ sellerId }: Caller) => sql`p.seller_id = ${sellerId}`

// After accounts, in the order of their kinds.
const resourcesOf = (caller: Caller, start: string, part: string): Sql =>
  resourceSuggestions.reduce(
    (before, { kind, rows }, index) => sql`${before}
      union all
      (select ${index + 2}::integer, ${kind}, r.name, a.username, r.name like ${start} as is_start
        from (${rows}) r join panel.accounts a on a.id = r.account_id
        where r.name like ${part} and a.state <> 'terminated' and ${isSeenBy(caller)}
        order by is_start desc, name limit ${perKind})`,
    sql``,
  )
