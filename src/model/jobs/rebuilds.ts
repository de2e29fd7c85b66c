import { setTimeout as sleep } from 'node:timers/promises'
import { all, type Db, run, sql, type Sql, oneFirst } from '../../db.ts'
import type { AccountRecord } from '../accounts/accounts.ts'
import type { HostSecrets } from '../operations/resource-kinds.ts'
import type { Started } from '../operations/operations.ts'

// A rebuild makes the machine agree with the rows again, by an operation in each account's own
// lane, after the work already in the lane.

/** The rows of an account that is neither being created nor terminated, not parsed yet. */
export type Rebuildable = { record: AccountRecord } & HostSecrets

/** Returns all accounts that can be rebuilt, or those with these names. */
export const list = (db: Db, usernames: readonly string[]) => all<Rebuildable>(db)`
  select r.record, a.password_hash as "passwordHash", panel.secret_parts(a.id) as parts
  from panel.accounts a cross join panel.account_record(a.id) r
  where ${isRebuildable(usernames)}
  order by a.username`

/** Returns ids and names of the same accounts. */
export const listNames = (db: Db, usernames: readonly string[]) =>
  all<{ id: string; username: string }>(db)`
    select a.id, a.username from panel.accounts a where ${isRebuildable(usernames)} order by a.id`

/** Returns all accounts that may have anything on the machine, in any state. */
export const listPresent = (db: Db) => all<Rebuildable>(db)`
  select panel.account_record(a.id) as record, a.password_hash as "passwordHash",
    panel.secret_parts(a.id) as parts
  from panel.accounts a
  where a.state <> 'terminated'
  order by a.username`

const isRebuildable = (usernames: readonly string[]): Sql => sql`
  a.state in ('active', 'suspended')
  and (${usernames.length === 0} or a.username = any (${usernames}))`

/** The result of a rebuild; without an error, the machine agrees with the rows. */
export type Ended = { username: string; error: string | null; differed: string[] }

// The maximum number of accounts queued at once: more would delay other requests.
const maxAtOnce = 32
const pollMs = 25

/**
 * Rebuilds accounts, some at a time; leaves out those that are being terminated by now. Yields at
 * each poll, many times a second, those that have ended since the last one.
 *
 * @param signal stops before the next account and does not wait; work in progress continues
 */
export async function* rebuild(
  db: Db,
  accountIds: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Ended[]> {
  const left = [...accountIds]
  const waiting = new Set<string>()
  for (;;) {
    if (waiting.size <= maxAtOnce / 2 && left.length > 0) {
      for (const id of await begin(db, left.splice(0, maxAtOnce - waiting.size))) waiting.add(id)
    }
    const ended = await listEnded(db, [...waiting])
    for (const { operation } of ended) waiting.delete(operation)
    yield ended
    if (waiting.size + left.length === 0) return
    await sleep(pollMs, undefined, { signal })
  }
}

/** Repairs what all accounts share, and removes websites that belong to no account. */
export async function rebuildServer(db: Db): Promise<void> {
  const id = await oneFirst<string>(db)`select panel.rebuild_server()`
  while ((await listEnded(db, [id])).length === 0) await sleep(pollMs)
}

async function begin(db: Db, accountIds: readonly string[]): Promise<string[]> {
  const begun = await all<{ operation: string }>(db)`
    select operation from panel.rebuild_accounts(${accountIds})`
  return begun.map(({ operation }) => operation)
}

// Lists the rebuilds that have ended. That of a terminated account (404) counts as a success.
const listEnded = (db: Db, operations: readonly string[]) =>
  all<Ended & { operation: string }>(db)`
    select id as operation, coalesce(username, '') as username,
      coalesce(differed, '{}') as differed,
      case when state = 'failed' or status not in (200, 404)
        then coalesce(error, 'It failed') end as error
    from panel.operations
    where id = any (${operations}::uuid[]) and state in ('done', 'failed')`

/** Returns warnings about services that are not running; a rebuild does not start them. */
export const listLacking = (db: Db) => oneFirst<string[]>(db)`
  select coalesce(array_agg(w.value order by w.key desc), '{}')
  from panel.server, jsonb_each_text(service_warnings) w where w.key in ('websites', 'sftp')`

/** Returns whether a worker is running that can rebuild. */
export const isWorkerUp = (db: Db) =>
  oneFirst<boolean>(db)`select panel.is_alive('process', 'worker')`

/**
 * Counts the unfinished operations of rebuilds, if this operation belongs to a rebuild and its
 * drift is not recorded yet; null otherwise.
 */
export const countUnnoted = (db: Db, id: string) => oneFirst<number | null>(db)`
  select case
    when exists (select from panel.operations where id = ${id} and differed = '{}') then (
      select count(*)::integer from panel.operations
      where differed is not null and state in ('blocked', 'queued', 'running', 'undoing'))
  end`

/** Records the drift that an operation found, before it is repaired. */
export const note = (
  db: Db,
  { id, epoch }: Pick<Started, 'id' | 'epoch'>,
  differed: readonly string[],
) => run(db)`select panel.note_drift(${id}, ${epoch}, ${differed})`
