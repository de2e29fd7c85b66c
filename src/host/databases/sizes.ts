import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Machine } from '../contract.ts'
import { hasCode } from '../tools/files.ts'
import { StatementError } from '../mariadb/client.ts'
import type { DatabaseServer } from '../mariadb/database-server.ts'
import { readRoutines } from './statements.ts'
import { mariaDb } from '../mariadb/mariadb.ts'

// Sizes of databases. Tables are files, whatever their engine: the sizes that MariaDB itself
// reports are delayed and differ by engine.

/** Returns the disk use of each database, in order; 0 for one that does not exist. */
export async function measureDatabases(
  machine: Machine,
  names: readonly string[],
): Promise<number[]> {
  if (names.length === 0) return []
  const databases = machine.part(mariaDb)
  const [row] = await databases.query('SELECT @@datadir AS path')
  const folder = String(row?.['path'])
  const routines = statSync(join(folder, 'mysql/proc.MAD'), { throwIfNoEntry: false })?.size ?? 0
  const sizes: number[] = []
  for (const name of names) {
    const extra = routines < fewRoutines ? 0 : await sizeOfRoutines(databases, name, routines)
    sizes.push(sizeOf(join(folder, folderOf(name))) + extra)
    if (sizes.length % atOnce === 0) await breathe()
  }
  return sizes
}

// Takes a millisecond or two.
const atOnce = 50

// All routines are in one table of MariaDB. While it is this small, no account has many of them.
const fewRoutines = 32 * 1_048_576

async function sizeOfRoutines(
  { query }: Pick<DatabaseServer, 'query'>,
  name: string,
  routinesBytes: number,
): Promise<number> {
  try {
    const [row] = await query(readRoutines(name))
    return Number(row?.['bytes'])
  } catch (error) {
    // MariaDB reads all of them: a database that takes so long has most of them.
    if (error instanceof StatementError && error.errno === statementTimeout) return routinesBytes
    throw error
  }
}

const statementTimeout = 1969

// MariaDB's encoding of characters that are not letters, digits or underscores.
const folderOf = (name: string): string => name.replaceAll('-', '@002d')

function sizeOf(folder: string): number {
  let files: Dirent[]
  try {
    files = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
  // A table may be dropped meanwhile.
  return files.reduce((sum, { name }) => {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return sum + 512 * (found?.blocks ?? 0)
  }, 0)
}
