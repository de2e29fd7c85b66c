import type { Db } from '../db.ts'
import type { AccountRecord } from './accounts.ts'
import type { HostRecord } from './host-account.ts'
import { write } from './writes.ts'

// A rebuild makes the machine agree with the rows again, by an operation in each account's own
// lane: what the lane is working on comes first. Those whose lanes are free run together.

export type Rebuild = { operation: string; username: string }

/** An account that is neither being created nor terminated, as its rows are, not parsed yet. */
export type Rebuildable = { record: AccountRecord; passwordHash: string }

/** All accounts that can be rebuilt, or those with these names. */
export async function list(db: Db, usernames: readonly string[]): Promise<Rebuildable[]> {
  const { rows } = await db.query<Rebuildable>(
    `select panel.account_record(a.id) as record, a.password_hash as "passwordHash"
     from panel.accounts a
     where ${rebuildable}
     order by a.username`,
    [usernames.length === 0, usernames],
  )
  return rows
}

/** Ids and names of the same accounts. */
export async function listNames(
  db: Db,
  usernames: readonly string[],
): Promise<{ id: string; username: string }[]> {
  const { rows } = await db.query<{ id: string; username: string }>(
    `select a.id, a.username from panel.accounts a where ${rebuildable} order by a.id`,
    [usernames.length === 0, usernames],
  )
  return rows
}

const rebuildable = `a.state in ('active', 'suspended') and ($1 or a.username = any ($2))`

/** Begins the rebuild of accounts; leaves out those that are being terminated by now. */
export async function begin(db: Db, accountIds: readonly string[]): Promise<Rebuild[]> {
  const { rows } = await db.query<Rebuild>(
    'select operation, username from panel.rebuild_accounts($1)',
    [accountIds],
  )
  return rows
}

/** Puts right what all accounts share, where there is no account whose rebuild does it. */
export const applyServer = write({
  name: 'server/apply',
  judge: async () => ({ accountId: null, wants: {} }),
})

/** The result of a rebuild; without an error the machine agrees with the rows. */
export type Ended = { operation: string; error: string | null; differed: string[] }

/** Those of the rebuilds that have ended; one of an account that is gone (404) has no error. */
export async function listEnded(db: Db, operations: readonly string[]): Promise<Ended[]> {
  const { rows } = await db.query<Ended>(
    `select id as operation, coalesce(differed, '{}') as differed,
       case when state = 'failed' or status not in (200, 404)
         then coalesce(error, 'It failed') end as error
     from panel.operations
     where id = any ($1::uuid[]) and state in ('done', 'failed')`,
    [operations],
  )
  return rows
}

/** Warnings about services that are not running, which no rebuild starts. */
export async function listLacking(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ lacking: string[] }>(
    `select array_remove(array[websites_warning, sftp_warning], null) as lacking
     from panel.server`,
  )
  return rows[0]?.lacking ?? []
}

/** Whether a worker is running that could do it. */
export async function isWorkerUp(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ up: boolean }>(`select panel.is_process_up('worker') as up`)
  return rows[0]?.up === true
}

/** An operation of a rebuild that the worker has started, with the account's lock. */
export type Started = {
  id: string
  epoch: number
  account: HostRecord & Pick<AccountRecord, 'warnings'>
  passwordHash: string
}

/** Starts the operations that share this job, except those whose locks can't be had at once. */
export async function start(session: Db, jobId: string): Promise<Started[]> {
  const { rows } = await session.query<Started>(
    `select id, epoch, account, password_hash as "passwordHash" from panel.start_rebuild($1)`,
    [jobId],
  )
  return rows
}

/** The result of a started operation; one that is not done gets a job of its own. */
export type Result = { id: string; epoch: number; isDone: boolean; differed: string[] }

/** Ends the operations that are done, and gives each of the others a job of its own. */
export async function end(db: Db, jobId: string, results: readonly Result[]): Promise<void> {
  const rows = results.map(({ id, epoch, isDone, differed }) => ({
    id,
    epoch,
    is_done: isDone,
    differed,
  }))
  await db.query('select panel.end_rebuild($1, $2)', [jobId, JSON.stringify(rows)])
}

/** Releases the accounts' locks that the start has taken. */
export async function letGo(session: Db, accountIds: readonly string[]): Promise<void> {
  await session.query('select pg_advisory_unlock(id) from unnest($1::bigint[]) as id', [accountIds])
}

/** Whether a rebuild has begun this operation, and its drift has not been recorded yet. */
export async function isToBeNoted(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query<{ is: boolean }>(
    `select differed = '{}' as is from panel.operations where id = $1`,
    [id],
  )
  return rows[0]?.is === true
}

/** Records the drift that an operation has found, before it is mended. */
export async function note(
  db: Db,
  { id, epoch }: Pick<Result, 'id' | 'epoch'>,
  differed: readonly string[],
): Promise<void> {
  await db.query('select panel.note_drift($1, $2, $3)', [id, epoch, differed])
}
