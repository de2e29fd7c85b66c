import { all, type Db, run } from '../../db.ts'
import { databaseName } from './databases.ts'

// The disk usage of databases.

/** Lists the names of all databases that have been created. Invalid names are left out. */
export async function listMeasurable(db: Db): Promise<string[]> {
  const rows = await all<{ name: string }>(db)`
    select name from panel.databases where desired <> 'reserved' order by id`
  return rows.flatMap(({ name }) => databaseName.safeParse(name).data ?? [])
}

/** Stores the size of each database; freezes the databases of accounts that are full. */
export const recordSizes = (db: Db, names: readonly string[], bytes: readonly number[]) => run(db)`
  select panel.record_database_sizes(${names}, ${bytes})`
