import type pg from 'pg'
import { oneFirst } from '../db.ts'
import type { BackupWarning } from '../model/server/backup-warnings.ts'

// The contents of accounts' databases are not part of a backup of the panel.

/** Counts the databases, whose contents a backup lacks and a restore creates empty. */
export const countDatabases = (client: pg.Client): Promise<number> => oneFirst<number>(client)`
  select count(*)::integer from panel.databases where desired = 'present'`

/** Returns what a backup lacks: an administrator should not learn it on the day of a restore. */
export async function listLeftOut(client: pg.Client): Promise<BackupWarning[]> {
  const count = await countDatabases(client)
  return count === 0 ? [] : [{ code: 'databases_not_included', count }]
}
