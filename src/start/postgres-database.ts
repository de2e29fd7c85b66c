import { openClient } from '../db.ts'

/**
 * Makes `panel_owner`, the role that migrates, and its database, unless they exist. The migrator
 * makes the other roles.
 */
export async function ensureDatabase(socketDir: string): Promise<void> {
  const client = openClient({
    host: socketDir,
    port: 5432,
    ssl: false,
    user: 'postgres',
    database: 'postgres',
  })
  await client.connect()
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = 'panel_owner') as role,
              exists (select from pg_database where datname = 'panel') as database`,
    )
    if (rows[0]?.role !== true) await client.query('create role panel_owner login createrole')
    if (rows[0]?.database !== true) await client.query('create database panel owner panel_owner')
  } finally {
    await client.end()
  }
}
