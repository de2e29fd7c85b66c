import type { Db } from '../db.ts'
import type { AccountRecord } from './accounts.ts'
import { toHostAccount, type HostAccount } from './host-account.ts'

// Making the machine agree with the rows again, account by account: each as an operation in the
// account's own lane, so that whoever is at it already comes first.

export type Rebuild = { operation: string; username: string }

/** What is to be rebuilt: all accounts that are not coming or going, or those with these names. */
export async function listRebuildable(
  db: Db,
  usernames: readonly string[],
): Promise<HostAccount[]> {
  const { rows } = await db.query<{ record: AccountRecord; password_hash: string }>(
    `select panel.account_record(a.id) as record, a.password_hash
     from panel.accounts a
     where a.state in ('active', 'suspended') and ($1 or a.username = any ($2))
     order by a.username`,
    [usernames.length === 0, usernames],
  )
  return rows.map(({ record, password_hash }) => toHostAccount(record, password_hash))
}

/** Begins the rebuild of an account; undefined where it is on its way out meanwhile. */
export async function begin(db: Db, { id, username }: HostAccount): Promise<Rebuild | undefined> {
  const { rows } = await db.query<{ operation: string | null }>(
    'select panel.rebuild_account($1) as operation',
    [id],
  )
  const operation = rows[0]?.operation
  return operation ? { operation, username } : undefined
}

/** How the rebuilds stand that have ended: without an error where the machine agrees. */
export async function listEnded(
  db: Db,
  operations: readonly string[],
): Promise<{ operation: string; error: string | null }[]> {
  const { rows } = await db.query<{ operation: string; error: string | null }>(
    `select id as operation,
       case state when 'failed' then coalesce(error, 'It failed') end as error
     from panel.operations
     where id = any ($1::uuid[]) and state in ('done', 'failed')`,
    [operations],
  )
  return rows
}

/** Whether a worker is up who could do it. */
export async function isWorkerUp(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ up: boolean }>(`select panel.is_process_up('worker') as up`)
  return rows[0]?.up === true
}
