import { all, type Db, run } from '../../db.ts'
import { databaseName } from './databases.ts'

// How much of the disk databases take.

/** The names of all that have been made, as far as they are names. */
export async function listMeasurable(db: Db): Promise<string[]> {
  const rows = await all<{ name: string }>(db)`
    select name from panel.databases where desired <> 'reserved' order by id`
  return rows.flatMap(({ name }) => databaseName.safeParse(name).data ?? [])
}

/** Stores what each takes of the disk; what is full by it is frozen. */
export const recordSizes = (db: Db, names: readonly string[], bytes: readonly number[]) => run(db)`
  select panel.record_database_sizes(${names}, ${bytes})`
