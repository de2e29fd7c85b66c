import type { QueryConfig } from 'pg'
import { connect, one } from '../db.ts'
import { closeWhereAllowed } from '../model/server/lock-functions.ts'

/**
 * Makes `panel_owner`, the role that migrates, and its database, unless they exist, and closes the
 * database's lock functions. The migrator makes the other roles.
 */
export async function ensureDatabase(socketDir: string): Promise<void> {
  const superuser = {
    host: socketDir,
    port: 5432,
    ssl: false,
    user: 'postgres',
    // A server that hangs meanwhile must not keep a stop of the panel waiting.
    query_timeout: 4_000,
  }
  await using client = await connect({ ...superuser, database: 'postgres' })
  const { role, database } = await one<{ role: boolean; database: boolean }>(client)`
    select exists (select from pg_roles where rolname = 'panel_owner') as role,
      exists (select from pg_database where datname = 'panel') as database`
  const create = (text: string) => client.query({ text, query_timeout: 60_000 } as QueryConfig)
  if (!role) await create('create role panel_owner login createrole')
  if (!database) await create('create database panel owner panel_owner')
  await using panel = await connect({ ...superuser, database: 'panel' })
  await closeWhereAllowed(panel)
}
