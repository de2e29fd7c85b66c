import { type Db, one } from '../../db.ts'

/** The version of PostgreSQL, and the size of the panel's database. */
export type DatabaseState = { version: string; size_bytes: number }

export const describeDatabase = (db: Db) => one<DatabaseState>(db)`
  select current_setting('server_version') as version,
    pg_database_size(current_database())::float8 as size_bytes`
