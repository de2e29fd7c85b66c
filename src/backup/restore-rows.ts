import type pg from 'pg'
import { z } from 'zod'
import { anyFirst, connect, connection, one } from '../db.ts'
import { PanelError } from '../errors.ts'
import { migrate, migrateToBackup } from '../migrate.ts'
import { readArchive, type Visitor } from './archive-reader.ts'
import type { Description } from './manifest.ts'
import { countDatabases } from './database-contents.ts'
import { rowsName, Sequence, sequencesName, Table, tablesName, writeRows } from './rows.ts'

type Source = { path: string; passphrase: string; onBytes: NonNullable<Visitor['onBytes']> }

/** Replaces all rows of the database by those of the backup, in the schema of that backup. */
export async function restoreRows(
  databaseUrl: string,
  { migrations }: Description,
  { path, passphrase, onBytes }: Source,
): Promise<void> {
  await migrateToBackup(databaseUrl, migrations)
  await inTransaction(databaseUrl, async client => {
    let tables: Table[] = []
    let isDone = false
    await readArchive(path, passphrase, {
      onBytes,
      isDone: () => isDone,
      async onFile(name, data) {
        if (name === tablesName) {
          tables = z.array(Table).parse(JSON.parse(data.toString()))
          await emptyTables(client)
        }
        if (name === sequencesName) {
          await setSequences(client, z.array(Sequence).parse(JSON.parse(data.toString())))
          isDone = true
        }
      },
      async openStream(name) {
        const table = tables.find(each => rowsName(each) === name)
        return table === undefined ? undefined : writeRows(client, table)
      },
    })
    if (!isDone) throw new PanelError('invalid', 'The backup contains no database')
  })
}

/**
 * Counts the operations that were in progress, and the desired state of the machine: its databases
 * are empty.
 */
export type Closed = { operations: number; accounts: number; databases: number }

/** Migrates the rows to this release's schema and ends the operations in progress in the backup. */
export async function closeRestored(databaseUrl: string, highestUid: number): Promise<Closed> {
  await migrate(databaseUrl)
  return inTransaction(databaseUrl, async client => {
    const closed = await one<Omit<Closed, 'databases'>>(client)`
      select operations, accounts from panel.close_restored(${highestUid})`
    return { ...closed, databases: await countDatabases(client) }
  })
}

// Migrations have inserted rows of their own: the server's catalogue and the server.
export async function emptyTables(client: pg.Client): Promise<void> {
  const names = await anyFirst<string>(client)`
    select format('panel.%I', c.relname)
    from pg_class c
    where c.relnamespace = 'panel'::regnamespace and c.relkind = 'r'
      and c.relname not in ('migrations', 'installed_functions')`
  await client.query(`truncate ${names.join(', ')}`)
}

export async function setSequences(client: pg.Client, sequences: Sequence[]): Promise<void> {
  for (const { name, last_value } of sequences) {
    await client.query('select setval($1::regclass, $2)', [`panel."${name}"`, last_value])
  }
}

async function inTransaction<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  // Closing the connection rolls back anything uncommitted.
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  await client.query('begin')
  const result = await work(client)
  await client.query('commit')
  return result
}
