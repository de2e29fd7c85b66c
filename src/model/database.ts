import type { Db } from '../db.ts'

/** The server's release, and what the panel takes of its disk. */
export type DatabaseState = { version: string; size_bytes: number }

export async function describeDatabase(db: Db): Promise<DatabaseState> {
  const { rows } = await db.query<DatabaseState>(
    `select current_setting('server_version') as version,
       pg_database_size(current_database())::float8 as size_bytes`,
  )
  return rows[0]!
}
