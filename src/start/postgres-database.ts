import { connect, one } from '../db.ts'

/**
 * Makes `panel_owner`, the role that migrates, and its database, unless they exist. The migrator
 * makes the other roles.
 */
export async function ensureDatabase(socketDir: string): Promise<void> {
  await using client = await connect({
    host: socketDir,
    port: 5432,
    ssl: false,
    user: 'postgres',
    database: 'postgres',
  })
  const { role, database } = await one<{ role: boolean; database: boolean }>(client)`
    select exists (select from pg_roles where rolname = 'panel_owner') as role,
      exists (select from pg_database where datname = 'panel') as database`
  if (!role) await client.query('create role panel_owner login createrole')
  if (!database) await client.query('create database panel owner panel_owner')
}
