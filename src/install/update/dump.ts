import { createReadStream, readFileSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import {
  listSequences,
  listTables,
  readRows,
  Sequence,
  Table,
  writeRows,
} from '../../backup/rows.ts'
import { emptyTables, setSequences } from '../../backup/restore-rows.ts'
import { all, connect, connection } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { ensureFile, ensureFolder, isFolder, syncFolder } from '../../host/tools/files.ts'
import { migrateToBackup, type Migration } from '../../migrate.ts'
import { dumpFolder } from './paths.ts'

// All rows as of one moment, a file for each table, kept by an update for a rollback. Only root may
// read them, as they contain hashes and sealed secrets.

const Description = z.object({
  made_at: z.iso.datetime(),
  migrations: z.array(z.object({ name: z.string(), sha256: z.string() })),
  tables: z.array(Table),
  sequences: z.array(Sequence),
})

type Description = z.infer<typeof Description>

/** Returns the path of a version's dump. */
export const dumpOf = (version: string): string => join(dumpFolder, version)

const descriptionOf = (folder: string): string => join(folder, 'description.json')

// PostgreSQL stops for good on a full disk, which is usually the same one; it needs this much for
// its log until the next release is up, or the previous one again.
const minFreeBytes = 256 * 2 ** 20

/**
 * Dumps all rows; the dump gets its name when it is complete. A failed one is deleted, as the undo
 * needs the space.
 *
 * @throws {PanelError} `unavailable`, if it would fill the disk
 */
export async function makeDump(
  databaseUrl: string,
  folder: string,
  minFree = minFreeBytes,
): Promise<void> {
  const fresh = join(dirname(folder), `.${basename(folder)}.new`)
  rmSync(fresh, { recursive: true, force: true })
  ensureFolder(fresh, 0o700)
  try {
    await writeDump(databaseUrl, fresh, minFree)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
  await syncFolder(dirname(folder))
}

async function writeDump(databaseUrl: string, fresh: string, minFree: number): Promise<void> {
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  await client.query('begin isolation level repeatable read read only')
  const made_at = new Date().toISOString()
  const migrations = await all<Migration>(client)`
    select name, sha256 from panel.migrations order by name`
  const tables = await listTables(client)
  for (const table of tables) {
    const file = await open(join(fresh, table.name), 'wx', 0o600)
    try {
      for await (const part of readRows(client, table)) {
        requireRoom(fresh, minFree)
        await file.appendFile(part)
      }
      await file.sync()
    } finally {
      await file.close()
    }
  }
  const described: Description = {
    ...{ made_at, migrations, tables },
    sequences: await listSequences(client),
  }
  await client.query('commit')
  await ensureFile(descriptionOf(fresh), JSON.stringify(described), 0o600)
}

function requireRoom(folder: string, minFree: number): void {
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize >= minFree) return
  const words = `A dump of the database would fill the disk of ${dirname(folder)}: free some \
space and try again`
  throw new PanelError('unavailable', words)
}

/** Returns when a dump was made; undefined if there is none. */
export const dumpedAt = (folder: string): string | undefined =>
  isFolder(folder) ? readDescription(folder).made_at : undefined

function readDescription(folder: string): Description {
  return Description.parse(JSON.parse(readFileSync(descriptionOf(folder), 'utf8')))
}

/**
 * Replaces the current rows by those of a dump, in the schema of that dump.
 *
 * @param seen sequences that may have advanced further: none of their numbers is given again
 */
export async function loadRows(
  databaseUrl: string,
  folder: string,
  seen: readonly Sequence[],
): Promise<void> {
  if (!isFolder(folder)) throw new PanelError('invalid', `There is no dump at ${folder}`)
  const { migrations, tables, sequences } = readDescription(folder)
  await migrateToBackup(databaseUrl, migrations)
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  await client.query('begin')
  await emptyTables(client)
  for (const table of tables) {
    const sink = writeRows(client, table)
    for await (const part of createReadStream(join(folder, table.name))) await sink.write(part)
    await sink.end()
  }
  await setSequences(client, higher(sequences, seen))
  await client.query('commit')
}

/** Returns each sequence at the higher of its two values. */
export function higher(dumped: readonly Sequence[], seen: readonly Sequence[]): Sequence[] {
  const values = new Map(dumped.map(({ name, last_value }) => [name, BigInt(last_value)]))
  for (const { name, last_value } of seen) {
    const known = values.get(name)
    // A newer release's sequence is not in the dump's schema.
    if (known !== undefined && known < BigInt(last_value)) values.set(name, BigInt(last_value))
  }
  return Array.from(values, ([name, value]) => ({ name, last_value: String(value) }))
}
