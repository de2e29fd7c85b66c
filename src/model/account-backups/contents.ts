import { z } from 'zod'
import { type Db, maybeOne } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { get } from '../accounts/accounts.ts'
import { ofAccount } from '../accounts/usage.ts'
import { queryNumber } from '../grammar/grammar.ts'
import type { Caller } from '../signing-in/callers.ts'
import { findFor } from './account-backups.ts'
import { Contents, FileType, listFolder, readFileList, sumOf } from './file-list.ts'
import type { Items } from './restores.ts'

// The content of a backup, for people who choose parts to restore: read from its list in a row,
// without restic.

/** The path of a folder in a request; empty for the top. */
const folderPath = z
  .string()
  .max(4_000, 'must have at most 4000 characters')
  .regex(/^(|(sites|files)(\/[^/\0]{1,255})*)$/, 'must be a folder such as sites/example.com')
  .default('')

export const FolderQuery = z.object({
  path: folderPath.describe('A folder in the home, such as `files/notes`; empty for the top'),
  after: z.string().max(255).optional().describe('Only names after this one'),
  limit: queryNumber(1, 1_000, 100).describe('The maximum number of entries'),
})

export const ListedEntry = z.strictObject({
  name: z.string(),
  type: FileType,
  files: z.int().describe('The number of files in a folder'),
  bytes: z.int().describe('The size, or the sum of a folder'),
  modified_at: z.iso.datetime(),
})

export const FolderListing = z.strictObject({
  path: z.string(),
  entries: z.array(ListedEntry),
  next: z.string().nullable().describe('The value of `after` for the next page; null if none'),
})
export type FolderListing = z.infer<typeof FolderListing>

type Asked = { username: string; backup: string }

/**
 * Reads the list of a backup that the caller sees.
 *
 * @throws {PanelError} `backup_unknown`, or `backup_unlisted` if it has no list
 */
async function readList(db: Db, caller: Caller, { username, backup }: Asked) {
  const { id } = await findFor(db, caller, username, backup)
  const row = await maybeOne<{ contents: unknown; list: Buffer }>(db)`
    select contents, list from panel.backup_lists where backup_id = ${id}`
  if (row === undefined) {
    throw new PanelError('backup_unlisted', 'There is no list of this backup')
  }
  return { contents: Contents.parse(row.contents), files: readFileList(row.list) }
}

/** Returns the databases and mailboxes of a backup. */
export const contentsFor = async (db: Db, caller: Caller, asked: Asked): Promise<Contents> =>
  (await readList(db, caller, asked)).contents

/** Returns a page of the content of a folder of a backup, by name. */
export async function folderFor(
  db: Db,
  caller: Caller,
  asked: Asked & z.infer<typeof FolderQuery>,
): Promise<FolderListing> {
  const { path, after = '', limit } = asked
  const { files } = await readList(db, caller, asked)
  const all = listFolder(files, path)
  if (all === undefined) throw missing(path)
  const left = all.filter(({ name }) => name > after)
  const entries = left.slice(0, limit)
  return {
    path,
    entries: entries.map(({ modifiedAt, ...entry }) => ({
      ...entry,
      modified_at: new Date(modifiedAt * 1_000).toISOString(),
    })),
    next: left.length > limit ? (entries.at(-1)?.name ?? null) : null,
  }
}

const missing = (name: string): PanelError =>
  new PanelError('invalid', `The backup does not have ${name}`)

const PreviewedItem = z.strictObject({
  kind: z.enum(['path', 'database', 'mailbox']),
  name: z.string(),
  files: z.int().nullable().describe('Null for a database'),
  bytes: z.int(),
  effect: z
    .enum(['replaces', 'creates', 'adds'])
    .describe(
      '`replaces` what there is, if anything; `creates` what was deleted; `adds` what is missing',
    ),
})

/** The effect of a restore. */
export const Preview = z.strictObject({
  items: z.array(PreviewedItem),
  files: z.int(),
  bytes: z.int().describe('The bytes of files and mail; databases do not count'),
  disk_free_bytes: z.int().describe('What the account may still store, by the last measurement'),
  fits: z.boolean().describe('Whether all of it fits without replacing anything'),
})
export type Preview = z.infer<typeof Preview>

/**
 * Returns what a restore of these parts would do.
 *
 * @throws {PanelError} `invalid` if the backup lacks one of them
 */
export async function previewFor(
  db: Db,
  caller: Caller,
  asked: Asked & { items: Items },
): Promise<Preview> {
  const { items, username } = asked
  const [record, { contents, files: all }] = await Promise.all([
    get(db, caller, username),
    readList(db, caller, asked),
  ])
  const present = await findPresent(db, record.id)
  const tops = items.everything
    ? ['sites', 'files'].flatMap(top =>
        (listFolder(all, top) ?? []).map(({ name }) => `${top}/${name}`),
      )
    : [...items.sites.map(name => `sites/${name}`), ...items.paths]
  const paths = tops.map(name => {
    const sum = sumOf(all, name)
    if (sum === undefined) throw missing(name)
    const { files, bytes } = sum
    return { kind: 'path' as const, name, files, bytes, effect: 'replaces' as const }
  })
  const databases = contents.databases
    .filter(({ database }) => items.everything || items.databases.includes(database))
    .map(({ database: name, bytes }) => ({
      ...{ kind: 'database' as const, name, files: null, bytes },
      effect: present.databases.includes(name) ? ('replaces' as const) : ('creates' as const),
    }))
  const mailboxes = contents.mailboxes
    .filter(({ mailbox }) => items.everything || items.mailboxes.includes(mailbox))
    .map(({ mailbox: name, ...sum }) => ({
      ...{ kind: 'mailbox' as const, name, ...sum },
      effect: present.mailboxes.includes(name) ? ('adds' as const) : ('creates' as const),
    }))
  const lacking = [
    ...items.databases.filter(name => !databases.some(one => one.name === name)),
    ...items.mailboxes.filter(name => !mailboxes.some(one => one.name === name)),
  ]
  if (lacking[0] !== undefined) throw missing(lacking[0])
  const counted = [...paths, ...mailboxes]
  const bytes = counted.reduce((sum, one) => sum + one.bytes, 0)
  const usage = await ofAccount(db, record.id)
  const freeMb = (usage?.disk_limit_mb ?? 0) - (usage?.disk_used_mb ?? 0)
  const free = Math.max(0, freeMb) * 2 ** 20
  return {
    items: [...paths, ...databases, ...mailboxes],
    files: counted.reduce((sum, one) => sum + one.files, 0),
    ...{ bytes, disk_free_bytes: free, fits: bytes <= free },
  }
}

/** Returns the names of the databases and mailboxes that an account has now. */
async function findPresent(db: Db, accountId: string) {
  const row = await maybeOne<{ databases: string[]; mailboxes: string[] }>(db)`
    select panel.list_database_names(${accountId}) as databases,
      panel.list_mailbox_names(${accountId}) as mailboxes`
  return row ?? { databases: [], mailboxes: [] }
}
