import { all, type Db, oneFirst, run } from '../../db.ts'
import type { AccountRecord } from '../accounts/accounts.ts'

// Accounts' own crontabs, which an administrator edits with `crontab -u USERNAME -e`: the panel
// keeps them and shows their lines. The worker reads those that have changed, each minute.

/** A crontab as the machine has it; a version is a text that changes with the file. */
export type OwnCrontab = { username: string; version: string; lines: string[] }

/** Reads those crontabs whose version is not known, and lists known ones that are missing. */
export type ReadCrontabs = (known: ReadonlyMap<string, string>) => {
  changed: OwnCrontab[]
  missing: string[]
}

/** Records the crontabs that have changed since they were last recorded. */
export async function recordCrontabs(db: Db, read: ReadCrontabs): Promise<void> {
  const rows = await all<{ username: string; version: string }>(db, 'list_own_crontabs')`
    select a.username, c.version
    from panel.own_crontabs c join panel.accounts a on a.id = c.account_id`
  const { changed, missing } = read(new Map(rows.map(row => [row.username, row.version])))
  if (changed.length === 0 && missing.length === 0) return
  await run(db)`select panel.record_own_crontabs(${JSON.stringify(changed)}, ${missing})`
}

/** Returns the lines of an account's own crontab; none if it has no crontab. */
export const crontabOf = (db: Db, { id }: Pick<AccountRecord, 'id'>): Promise<string[]> =>
  oneFirst<string[]>(db)`
    select coalesce((select lines from panel.own_crontabs where account_id = ${id}), '{}')`
