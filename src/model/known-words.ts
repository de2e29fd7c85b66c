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

export type Kind = keyof typeof statements | 'jobs'
export const kinds = [...(Object.keys(statements) as (keyof typeof statements)[]), 'jobs'] as const

// A shell shows no more of use, and is waited for.
const most = 200

/** The words of a kind that begin so. */
export async function listWords(db: Db, kind: Kind, start: string): Promise<string[]> {
  if (kind === 'jobs') {
    const ids = (await list(db, { limit: most })).map(({ id }) => id)
    return ids.filter(id => id.startsWith(start))
  }
  return column<string>(db)`
    select word from (${statements[kind]}) w
    where starts_with(word, ${start})
    order by word limit ${most}`
}
