import { anyFirst, type Db, sql } from '../../db.ts'
import { list } from '../jobs/jobs.ts'

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

// Queries for the resources of the account named before them on the command line.
const statementsOf = {
  sites: (username: string) => sql`
    select s.domain as word from panel.sites s join panel.accounts a on a.id = s.account_id
    where a.username = ${username} and a.state <> 'terminated'`,
  databases: (username: string) => sql`
    select d.name as word from panel.databases d join panel.accounts a on a.id = d.account_id
    where a.username = ${username} and d.desired = 'present'`,
  // A database may be named before them too.
  'database-users': (before: string) => sql`
    select u.name as word from panel.database_users u join panel.accounts a on a.id = u.account_id
    where u.desired = 'present' and (a.username = ${before} or exists (
      select from panel.databases d where d.account_id = a.id and d.name = ${before}))`,
}

const owned = Object.keys(statementsOf) as (keyof typeof statementsOf)[]

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

const statementOf = (kind: keyof typeof statements | keyof typeof statementsOf, before: string) =>
  isOwned(kind) ? statementsOf[kind](before) : statements[kind]

const isOwned = (kind: Kind): kind is keyof typeof statementsOf => kind in statementsOf
