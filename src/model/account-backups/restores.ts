import { z } from 'zod'
import { all, anyFirst, type Db, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account, get, onAccount } from '../accounts/accounts.ts'
import { domain, leftOut } from '../grammar/grammar.ts'
import type { AccountSubject } from '../operations/operations.ts'
import { BackupWarning, ShownWarning, showWarnings } from '../server/backup-warnings.ts'
import type { Caller } from '../signing-in/callers.ts'
import { mailboxAddress } from '../mail/mail-grammar.ts'
import { accountBackup, requireNoBackup } from './account-backups.ts'
import { type BackedUpRows, dumpOf } from './backed-up-rows.ts'

// Restores of parts of a backup: an operation backs up the account as it is, then a run reads the
// parts without the lane, and a second operation brings them into the account.

/** A path in the home, below the folders of which the account decides the content. */
const homePath = z
  .string()
  .max(4_000, 'must have at most 4000 characters')
  .regex(/^(sites|files)(\/[^/\0]{1,255})+$/, 'must be a path such as sites/example.com')
  .refine(text => !text.split('/').some(part => /^\.{1,2}$/.test(part)), 'must not contain . or ..')

const databaseName = z.string().regex(/^[a-z0-9_]{1,64}$/, 'must be the name of a database')

const list = <Schema extends z.ZodType>(schema: Schema) =>
  z.array(schema).max(100, 'must have at most 100 entries')

/** The parts of a backup that a restore brings back. */
export const Items = z.strictObject({
  everything: z.boolean().describe('All websites, files, databases and mailboxes of the backup'),
  sites: list(domain).describe('Folders of websites'),
  paths: list(homePath).describe(
    'Files and folders, as paths in the home below `sites/` or `files/`',
  ),
  databases: list(databaseName),
  mailboxes: list(mailboxAddress).describe('Mailboxes: what they have now stays'),
})
export type Items = z.infer<typeof Items>

/** Returns the dumps that a restore needs, as the row of a backup names them. */
export const dumpsOf = ({ databases }: Pick<Items, 'databases'>): string[] => databases.map(dumpOf)

/** A restore in a request. */
export const NewRestore = z.strictObject({
  everything: leftOut(Items.shape.everything).describe(
    'All websites, files, databases and mailboxes of the backup; false if left out',
  ),
  sites: leftOut(Items.shape.sites),
  paths: leftOut(Items.shape.paths),
  databases: leftOut(Items.shape.databases),
  mailboxes: leftOut(Items.shape.mailboxes).describe(
    'Mailboxes, whose missing messages, folders and filters come back: what they have now stays',
  ),
  keeps_replaced: leftOut(z.boolean()).describe(
    'Whether replaced files stay in the trash for a while, and count as disk usage; true if ' +
      'left out',
  ),
})

export type NewRestore = z.infer<typeof NewRestore>

/** The functions by which the operation that requests a restore writes its rows. */
export const requestedRestore = {
  ...accountBackup,
  writeDesired: 'write_desired_backup_restore',
  about: accountBackup.about.extend({ restoreId: z.string().nullable() }),
} satisfies AccountSubject<unknown>

/** The content of a restore that is staged. */
export const Staged = z.strictObject({
  paths: z.array(homePath),
  /** The dumps, as the backup's row names them. */
  dumps: z.array(z.string().regex(/^[a-z-]+\/[A-Za-z0-9_.-]{1,100}$/)),
  mailboxes: z.array(mailboxAddress),
})
export type Staged = z.infer<typeof Staged>

/** The functions by which the operation that completes a restore writes its row. */
export const stagedRestore = {
  ...account,
  writeDesired: 'write_desired_staged_restore',
  complete: 'complete_staged_restore',
  about: z.object({
    restore: z
      .object({
        ...{ id: z.string(), staged: Staged, warnings: z.array(BackupWarning) },
        /** Whether the account has got a database or a mailbox again that it had lost. */
        hasRecreated: z.boolean(),
      })
      .nullable(),
  }),
} satisfies AccountSubject<unknown>

type Desired = { backup: string } & z.infer<typeof NewRestore>

/** Restores parts of a backup. */
export const restore = onAccount<Desired>({
  name: 'backup/restore',
  subject: ({ backup }) => backup,
  async decide(db, { found, desired: { backup, ...sent } }) {
    const items = itemsOf(sent)
    if (!(await isDone(db, found.id, backup))) {
      throw new PanelError('backup_unknown', 'The account has no such completed backup')
    }
    if (await isUnfinished(db, found.id)) throw inProgress()
    await requireNoBackup(db, found.id)
    return {
      accountId: found.id,
      params: { backup_id: backup, items, keeps_replaced: sent.keeps_replaced ?? true },
    }
  },
})

/**
 * Returns the parts that a request names.
 *
 * @throws {PanelError} `invalid` if there are none
 */
export function itemsOf(sent: z.infer<typeof NewRestore>): Items {
  const { everything, sites, paths, databases, mailboxes } = sent
  const items: Items = {
    everything: everything ?? false,
    ...{ sites: sites ?? [], paths: paths ?? [] },
    ...{ databases: databases ?? [], mailboxes: mailboxes ?? [] },
  }
  const parts = [items.sites, items.paths, items.databases, items.mailboxes].flat()
  if (items.everything || parts.length > 0) return items
  const kinds = 'sites, paths, databases, mailboxes or everything'
  throw new PanelError('invalid', `Name what to restore: ${kinds}`)
}

export const inProgress = (): PanelError =>
  new PanelError('restore_in_progress', 'A restore of this account is in progress')

const isDone = (db: Db, accountId: string, backup: string) => oneFirst<boolean>(db)`
  select exists (
    select from panel.account_backups
    where account_id = ${accountId} and id::text = ${backup} and state = 'done')`

const isUnfinished = (db: Db, accountId: string) => oneFirst<boolean>(db)`
  select exists (
    select from panel.account_restores
    where account_id = ${accountId} and state in ('saving', 'reading', 'staged'))`

/** A restore as people see it. */
export const AccountRestore = z.strictObject({
  id: z.string(),
  backup: z.string().nullable(),
  state: z.enum(['saving', 'reading', 'staged', 'done', 'failed']),
  items: Items,
  keeps_replaced: z.boolean(),
  safety_backup: z.string().nullable().describe('The backup of the account as it was before'),
  bytes: z.int().nullable(),
  files: z.int().nullable(),
  warnings: z.array(ShownWarning).describe('Parts that were left out'),
  error: z.string().nullable().describe('Why it failed'),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type AccountRestore = z.infer<typeof AccountRestore>

/** The answer to a request for a restore. */
export const StartedRestore = AccountRestore.pick({ id: true, safety_backup: true }).extend({
  state: z.literal('saving'),
})

/** Returns the restores of an account that the caller sees, the newest first. */
export async function listFor(db: Db, caller: Caller, username: string): Promise<AccountRestore[]> {
  const { id } = await get(db, caller, username)
  type Row = Omit<AccountRestore, 'created_at' | 'finished_at' | 'warnings'> & {
    warnings: unknown[]
    createdAt: Date
    finishedAt: Date | null
  }
  const rows = await all<Row>(db)`
    select r.id::text, r.backup_id::text as backup, r.state, r.items, r.keeps_replaced,
      r.safety_backup_id::text as safety_backup, r.bytes::float8 as bytes, r.files, r.warnings,
      r.error, r.created_at as "createdAt", r.finished_at as "finishedAt"
    from panel.account_restores r
    where r.account_id = ${id}
    order by r.id desc
    limit 1000`
  return rows.map(({ createdAt, finishedAt, warnings, ...row }) => ({
    ...row,
    warnings: showWarnings(warnings),
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }))
}

/**
 * Returns one restore of an account that the caller sees.
 *
 * @throws {PanelError} `restore_unknown`
 */
export async function findFor(db: Db, caller: Caller, username: string, id: string) {
  const found = (await listFor(db, caller, username)).find(one => one.id === id)
  if (found === undefined) {
    throw new PanelError('restore_unknown', 'The account has no such restore')
  }
  return found
}

/** Lists the restores whose parts are due to be read. */
export const listDue = (db: Db) => anyFirst<string>(db)`
  select r.id::text
  from panel.account_restores r
  left join panel.account_backups b on b.id = r.safety_backup_id
  where r.state in ('saving', 'reading')
    and coalesce(b.state, 'failed') in ('done', 'failed')
  order by r.id`

/** Lists the user numbers of the accounts whose staged content is needed. */
export const listStaged = (db: Db) => anyFirst<number>(db)`
  select a.uid from panel.account_restores r join panel.accounts a on a.id = r.account_id
  where r.state in ('reading', 'staged')`

/** Lists the restores whose replaced files are kept: those that ended within so many hours. */
export const listKept = (db: Db, hours: number) => anyFirst<string>(db)`
  select id::text from panel.account_restores
  where state in ('saving', 'reading', 'staged')
    or keeps_replaced and finished_at > now() - ${hours} * interval '1 hour'`

/** A started run. */
export const StartedRun = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  epoch: z.int(),
  username: z.string(),
  /** Null if the account is gone. */
  uid: z.int().nullable(),
  items: Items,
  keepsReplaced: z.boolean(),
  snapshot: z.string().regex(/^[0-9a-f]{64}$/),
  /** Why the account was not backed up before; null if it was. */
  unsaved: z.string().nullable(),
  repository: z.unknown(),
})
export type StartedRun = z.infer<typeof StartedRun>

/** Starts a run, or restarts it after an interruption; returns nothing if it has ended. */
export async function startRun(db: Db, id: string): Promise<StartedRun | undefined> {
  const started = await oneFirst<unknown>(db)`select panel.start_account_restore(${id})`
  return started === null ? undefined : StartedRun.parse(started)
}

/** The result of a run. */
export type RunResult = {
  staged: Staged
  /** The rows of databases and mailboxes, for those that the account has no longer. */
  rows: BackedUpRows
  bytes: number
  files: number
  warnings: BackupWarning[]
}

type Run = Pick<StartedRun, 'id' | 'epoch'>

/** Records what is staged, and begins the operation that completes it; false if it has ended. */
export const finishRun = (db: Db, { id, epoch }: Run, result: RunResult): Promise<boolean> =>
  oneFirst<boolean>(db)`
    select panel.stage_account_restore(${id}, ${epoch}, ${JSON.stringify(result)}, null)`

/** Records a failed run; returns false if it has ended otherwise meanwhile. */
export const failRun = (db: Db, { id, epoch }: Run, error: string): Promise<boolean> =>
  oneFirst<boolean>(db)`select panel.stage_account_restore(${id}, ${epoch}, null, ${error})`

/** Returns whether a run is still the one to go on. */
export const isCurrent = (db: Db, { id, epoch }: Run): Promise<boolean> => oneFirst<boolean>(db)`
  select exists (
    select from panel.account_restores
    where id = ${id} and epoch = ${epoch} and state = 'reading')`
