import { z } from 'zod'
import { maybeOne, type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { onAccount } from '../accounts/accounts.ts'
import { hasHidden } from '../grammar/characters.ts'
import { exportKeptMs } from './dumps.ts'
import { databaseIdOf, isFrozen, isOpen, requireServer } from './databases.ts'

// Dumps of databases: imported from an upload or from a file in the account's home, and exported
// to a file that a page offers for download.

/** The path of a file in an account's home, such as `backups/shop.sql.gz`. */
export const homeFile = z
  .string()
  .max(500, 'must have at most 500 characters')
  .refine(text => !hasHidden(text), { error: 'must not contain invisible characters', abort: true })
  .refine(text => text.split('/').every(isName), 'must be a path such as backups/shop.sql')

const isName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255

/** Imports a dump that was stored for the worker under an id, or a file in the account's home. */
export const importDump = onAccount<{ database: string } & ({ id: string } | { file: string })>({
  name: 'database/import',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    const databaseId = await requireImport(db, found.id, desired.database)
    const source = 'id' in desired ? { import: desired.id } : { file: desired.file }
    return { accountId: found.id, params: { database_id: databaseId, ...source } }
  },
})

/** @throws {PanelError} the reason why no dump can be imported now */
export async function requireImport(db: Db, accountId: string, name: string): Promise<string> {
  await requireServer(db)
  const databaseId = await databaseIdOf(db, accountId, name)
  if (await isOpen(db, databaseId)) throw openElsewhere(name)
  if (await isFrozen(db, databaseId)) throw full(name)
  return databaseId
}

/** The error for an import into a full account: a dump begins by dropping what it creates. */
export const full = (name: string): PanelError =>
  new PanelError('invalid', `The disk is full: free space before importing a dump into ${name}`)

/** Returns the answer of a finished import: the statements of the dump that were refused. */
export async function findImported(db: Db, operationId: string) {
  const body = await maybeOne<{ body: Buffer }>(db)`
    select body from panel.operations where id = ${operationId} and status = 200`
  return body && (JSON.parse(body.body.toString()) as { database: string; refused: string[] })
}

/** An import and Adminer both use the database's internal user, so one of them has to wait. */
export const openElsewhere = (name: string): PanelError =>
  new PanelError('invalid', `${name} is open in Adminer: close it there, then try again`)

/** Writes a dump that a page offers for download. */
export const exportDump = onAccount<{ database: string }>({
  name: 'database/export',
  subject: ({ database }) => database,
  async decide(db, { desired, found }) {
    await requireServer(db)
    const databaseId = await databaseIdOf(db, found.id, desired.database)
    return { accountId: found.id, params: { database_id: databaseId } }
  },
})

export type Exported = {
  /** The id of the database, by which its file is named. */
  id: string
  bytes: number
  finishedAt: Date
  /** From then on it cannot be downloaded. */
  until: Date
}

const Answer = z.object({ id: z.string(), bytes: z.number() })

/**
 * Returns the latest export of an account's database that can be downloaded.
 *
 * @throws {PanelError} `database_unknown`
 */
export async function findExported(
  db: Db,
  accountId: string,
  name: string,
): Promise<Exported | undefined> {
  const id = await databaseIdOf(db, accountId, name)
  const found = await maybeOne<{ body: Buffer; finished_at: Date }>(db)`
    select o.body, o.finished_at from panel.operations o
    where o.account_id = ${accountId} and o.name = 'database/export' and o.status = 200
      and o.subject = ${name}
      and o.finished_at > now() - ${exportKeptMs}::int * interval '1 ms'
    order by o.finished_at desc
    limit 1`
  if (found === undefined) return undefined
  const { id: exportedId, bytes } = Answer.parse(JSON.parse(found.body.toString()))
  // An earlier database had the same name.
  if (exportedId !== id) return undefined
  const finishedAt = found.finished_at
  return { id, bytes, finishedAt, until: new Date(finishedAt.getTime() + exportKeptMs) }
}
