import { column, type Db, sql } from '../db.ts'
import { list } from './jobs.ts'

// Names and ids that a shell may complete.

const statements = {
  accounts: sql`select username as word from panel.accounts where state <> 'terminated'`,
  packages: sql`select distinct name as word from panel.packages`,
  owners: sql`select name as word from panel.owners`,
  resellers: sql`select name as word from panel.owners where role = 'reseller'`,
  tokens: sql`select id::text as word from panel.tokens where revoked_at is null`,
  webhooks: sql`select id::text as word from panel.webhooks where removed_at is null`,
}

const tables = Object.keys(statements) as (keyof typeof statements)[]

export const kinds = [...tables, 'sites', 'jobs', 'deliveries'] as const
export type Kind = (typeof kinds)[number]

// A shell shows no more of use, and is waited for.
const most = 200

/** The words of a kind that begin so; websites are those of the account before them. */
export async function listWords(
  db: Db,
  kind: Kind,
  start: string,
  before: string,
): Promise<string[]> {
  if (kind === 'jobs' || kind === 'deliveries') {
    const task = kind === 'jobs' ? undefined : 'webhook/deliver'
    const ids = (await list(db, { limit: most, task })).map(({ id }) => id)
    return ids.filter(id => id.startsWith(start))
  }
  return column<string>(db)`
    select word from (${kind === 'sites' ? sitesOf(before) : statements[kind]}) w
    where starts_with(word, ${start})
    order by word limit ${most}`
}

const sitesOf = (username: string) => sql`
  select s.domain as word from panel.sites s join panel.accounts a on a.id = s.account_id
  where a.username = ${username} and a.state <> 'terminated'`
