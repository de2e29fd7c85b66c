import { all, type Db, run, sql, type Sql, value } from '../db.ts'
import type { AccountRecord } from './accounts.ts'
import type { HostSecrets } from './resource-kinds.ts'
import { write } from './writes.ts'

// A rebuild makes the machine agree with the rows again, by an operation in each account's own
// lane: what the lane is working on comes first. Those whose lanes are free run together.

export type Rebuild = { operation: string; username: string }

/** An account that is neither being created nor terminated, as its rows are, not parsed yet. */
export type Rebuildable = { record: AccountRecord } & HostSecrets

/** All accounts that can be rebuilt, or those with these names. */
export const list = (db: Db, usernames: readonly string[]) => all<Rebuildable>(db)`
  select r.record, a.password_hash as "passwordHash", panel.secret_parts(a.id) as parts
  from panel.accounts a cross join panel.account_record(a.id) r
  where ${isRebuildable(usernames)}
  order by a.username`

/** Accounts whose lanes are taken together; new requests for them wait until all are done. */
export const mostAtOnce = 1_000

/** Ids and names of the same accounts. */
export const listNames = (db: Db, usernames: readonly string[]) =>
  all<{ id: string; username: string }>(db)`
    select a.id, a.username from panel.accounts a where ${isRebuildable(usernames)} order by a.id`

/** All accounts that may have anything on the machine, in whatever state they are. */
export const listPresent = (db: Db) => all<Rebuildable>(db)`
  select panel.account_record(a.id) as record, a.password_hash as "passwordHash",
    panel.secret_parts(a.id) as parts
  from panel.accounts a
  where a.state <> 'terminated'
  order by a.username`

const isRebuildable = (usernames: readonly string[]): Sql => sql`
  a.state in ('active', 'suspended')
  and (${usernames.length === 0} or a.username = any (${usernames}))`

/** Begins the rebuild of accounts; leaves out those that are being terminated by now. */
export const begin = (db: Db, accountIds: readonly string[]) => all<Rebuild>(db)`
  select operation, username from panel.rebuild_accounts(${accountIds})`

/** Puts right what all accounts share, where there is no account whose rebuild does it. */
export const applyServer = write({
  name: 'server/apply',
  judge: async () => ({ accountId: null, wants: {} }),
})

/** The result of a rebuild; without an error the machine agrees with the rows. */
export type Ended = { operation: string; error: string | null; differed: string[] }

/** Those of the rebuilds that have ended; one of an account that is gone (404) has no error. */
export const listEnded = (db: Db, operations: readonly string[]) => all<Ended>(db)`
  select id as operation, coalesce(differed, '{}') as differed,
    case when state = 'failed' or status not in (200, 404)
      then coalesce(error, 'It failed') end as error
  from panel.operations
  where id = any (${operations}::uuid[]) and state in ('done', 'failed')`

/** Warnings about services that are not running, which no rebuild starts. */
export const listLacking = (db: Db) => value<string[]>(db)`
  select array_remove(array[websites_warning, sftp_warning], null) from panel.server`

/** Whether a worker is running that could do it. */
export const isWorkerUp = (db: Db) => value<boolean>(db)`select panel.is_alive('process', 'worker')`

/** An operation of a rebuild that the worker has started, with the account's lock. */
export type Started = {
  id: string
  epoch: number
  account: AccountRecord
} & HostSecrets

/** Starts the operations that share this job, except those whose locks can't be had at once. */
export const start = (session: Db, jobId: string) => all<Started>(session)`
  select id, epoch, account, password_hash as "passwordHash", parts
  from panel.start_rebuild(${jobId})`

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
  await run(db)`select panel.end_rebuild(${jobId}, ${JSON.stringify(rows)})`
}

/** Whether a rebuild has begun this operation, and its drift has not been recorded yet. */
export const isToBeNoted = (db: Db, id: string) => value<boolean>(db)`
  select exists (select from panel.operations where id = ${id} and differed = '{}')`

/** Records the drift that an operation has found, before it is mended. */
export const note = (
  db: Db,
  { id, epoch }: Pick<Result, 'id' | 'epoch'>,
  differed: readonly string[],
) => run(db)`select panel.note_drift(${id}, ${epoch}, ${differed})`
