import { anyFirst, type Db, sql } from '../../db.ts'
import { list } from '../jobs/jobs.ts'
import { resourceWords } from '../operations/resource-kinds.ts'

// Names and ids for shell completion.

const statements = {
  accounts: sql`select username as word from panel.accounts where state <> 'terminated'`,
  packages: sql`select distinct name as word from panel.packages`,
  operators: sql`select name as word from panel.operators`,
  resellers: sql`select name as word from panel.operators where role = 'reseller'`,
  tokens: sql`select id::text as word from panel.tokens where revoked_at is null`,
  'shared-parents': sql`select domain as word from panel.shared_parents`,
  webhooks: sql`select id::text as word from panel.webhooks where removed_at is null`,
}

const tables = Object.keys(statements) as (keyof typeof statements)[]

const owned = Object.keys(resourceWords) as (keyof typeof resourceWords)[]

export const kinds = [...tables, ...owned, 'jobs', 'deliveries'] as const
export type Kind = (typeof kinds)[number]

// Shells cannot show more usefully, and the user waits for the answer.
const maxWords = 200

/**
 * Returns the words of a kind that begin with a prefix; those of an account's resources belong to
 * the account named before.
 */
export async function listWords(
  db: Db,
  kind: Kind,
  start: string,
  before: string,
): Promise<string[]> {
  if (kind === 'jobs' || kind === 'deliveries') {
    const task = kind === 'jobs' ? undefined : 'webhook/deliver'
    const ids = (await list(db, { limit: maxWords, task })).map(({ id }) => id)
    return ids.filter(id => id.startsWith(start))
  }
  return anyFirst<string>(db)`
    select word from (${statementOf(kind, before)}) w
    where starts_with(word, ${start})
    order by word limit ${maxWords}`
}

const statementOf = (kind: keyof typeof statements | keyof typeof resourceWords, before: string) =>
  isOwned(kind) ? resourceWords[kind](before) : statements[kind]

const isOwned = (kind: Kind): kind is keyof typeof resourceWords => kind in resourceWords
