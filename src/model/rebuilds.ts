import type { Db } from '../db.ts'
import type { AccountRecord } from './accounts.ts'
import type { HostRecord } from './host-account.ts'
import { write } from './writes.ts'

// Making the machine agree with the rows again: an operation in each account's own lane, so that
// whoever is at it already comes first. Those whose lanes are free are carried out together.

export type Rebuild = { operation: string; username: string }

/** An account that is neither coming nor going, as its rows say; nobody has judged it yet. */
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

/** The same, by id and name alone. */
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

/** Begins the rebuild of accounts; leaves out those that are on their way out meanwhile. */
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

/** How a rebuild has ended: without an error where the machine agrees now. */
export type Ended = { operation: string; error: string | null; differed: string[] }

/** Those of the rebuilds that have ended; an account that is gone by now needs none (404). */
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

/** What services that are not running leave undone, which no rebuild starts. */
export async function listLacking(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ lacking: string[] }>(
    `select array_remove(array[websites_warning, sftp_warning], null) as lacking
     from panel.server`,
  )
  return rows[0]?.lacking ?? []
}

/** Whether a worker is up who could do it. */
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

/** Starts the operations that share this job of the queue, as far as they can be had at once. */
export async function start(session: Db, jobId: string): Promise<Started[]> {
  const { rows } = await session.query<Started>(
    `select id, epoch, account, password_hash as "passwordHash" from panel.start_rebuild($1)`,
    [jobId],
  )
  return rows
}

/** What became of a started operation; one that is not done goes on by itself. */
export type Result = { id: string; epoch: number; isDone: boolean; differed: string[] }

/** Ends the operations that are done, and has the job's others carried out each by itself. */
export async function end(db: Db, jobId: string, results: readonly Result[]): Promise<void> {
  const told = results.map(({ id, epoch, isDone, differed }) => ({
    id,
    epoch,
    is_done: isDone,
    differed,
  }))
  await db.query('select panel.end_rebuild($1, $2)', [jobId, JSON.stringify(told)])
}

/** Gives back the locks of accounts that were taken at the start. */
export async function letGo(session: Db, accountIds: readonly string[]): Promise<void> {
  await session.query('select pg_advisory_unlock(id) from unnest($1::bigint[]) as id', [accountIds])
}

/** Whether a rebuild has begun this operation, and nobody has noted yet what differs. */
export async function isToBeNoted(db: Db, id: string): Promise<boolean> {
  const { rows } = await db.query<{ is: boolean }>(
    `select differed = '{}' as is from panel.operations where id = $1`,
    [id],
  )
  return rows[0]?.is === true
}

/** Notes what an operation has found different before it puts it right. */
export async function note(
  db: Db,
  { id, epoch }: Pick<Result, 'id' | 'epoch'>,
  differed: readonly string[],
): Promise<void> {
  await db.query('select panel.note_drift($1, $2, $3)', [id, epoch, differed])
}
