import { z } from 'zod'
import { all, anyFirst, type Db, oneFirst, run } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account, get, onAccount } from '../accounts/accounts.ts'
import type { Event } from '../events/events.ts'
import type { Contents } from './file-list.ts'
import type { AccountSubject } from '../operations/operations.ts'
import { type BackupWarning, ShownWarning, showWarnings } from '../server/backup-warnings.ts'
import type { Caller } from '../signing-in/callers.ts'

// Backups of accounts: an operation in the account's lane dumps the databases, then a run reads the
// files without the lane (docs/decisions/0056-backups-of-accounts.md).

/** The functions by which the operation writes a backup's row when it starts and ends. */
export const accountBackup = {
  ...account,
  writeDesired: 'write_desired_account_backup',
  complete: 'complete_account_backup',
  about: z.object({
    backupId: z.string().nullable(),
    /** The default target; null if there is none. */
    targetId: z.string().nullable(),
    /** The account's repository there. */
    repositoryId: z.string().nullable(),
  }),
} satisfies AccountSubject<unknown>

/** Backs an account up now. */
export const create = onAccount({
  name: 'backup/create',
  subject: () => null,
  async decide(db, { found }) {
    await requireNoBackup(db, found.id)
    return { accountId: found.id, params: {} }
  },
})

/**
 * Checks that a backup of an account can begin.
 *
 * @throws {PanelError} `no_backup_target` or `backup_in_progress`
 */
export async function requireNoBackup(db: Db, accountId: string): Promise<void> {
  if (!(await hasTarget(db))) throw noTarget()
  if (await isUnfinished(db, accountId)) throw inProgress()
}

export const inProgress = (): PanelError =>
  new PanelError('backup_in_progress', 'A backup of this account is in progress')

export const noTarget = (): PanelError =>
  new PanelError('no_backup_target', 'An administrator has to add a target for backups first')

/** Returns whether there is a target for new backups. */
export const hasTarget = (db: Db) => oneFirst<boolean>(db)`
  select exists (select from panel.backup_targets where is_default)`

const isUnfinished = (db: Db, accountId: string) => oneFirst<boolean>(db)`
  select exists (
    select from panel.account_backups
    where account_id = ${accountId} and state in ('preparing', 'ready', 'running'))`

/** A backup as people see it. */
export const AccountBackup = z.strictObject({
  id: z.string(),
  state: z.enum(['preparing', 'ready', 'running', 'done', 'failed']),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  target: z.string().nullable(),
  dumps: z.array(z.string()).describe('The dumps of databases that it contains'),
  bytes_read: z.int().nullable(),
  bytes_added: z.int().nullable().describe('What it stored in addition to those before'),
  files: z.int().nullable(),
  duration_ms: z.int().nullable(),
  warnings: z.array(ShownWarning).describe('Parts that could not be read'),
  error: z.string().nullable().describe('Why it failed'),
})
export type AccountBackup = z.infer<typeof AccountBackup>

/** A backup whose databases are dumped. */
export const StartedBackup = AccountBackup.pick({ id: true, dumps: true }).extend({
  state: z.literal('ready'),
})

type Row = Omit<AccountBackup, 'created_at' | 'finished_at' | 'warnings'> & {
  warnings: unknown[]
  createdAt: Date
  finishedAt: Date | null
}

/** Returns the backups of an account, the newest first. */
async function list(db: Db, accountId: string): Promise<AccountBackup[]> {
  const rows = await all<Row>(db)`
    select b.id::text, b.state, b.created_at as "createdAt", b.finished_at as "finishedAt",
      t.name as target, b.dumps, b.bytes_read::float8 as bytes_read,
      b.bytes_added::float8 as bytes_added, b.files, b.duration_ms::float8 as duration_ms,
      b.warnings, b.error
    from panel.account_backups b
    left join panel.backup_repositories r on r.id = b.repository_id
    left join panel.backup_targets t on t.id = r.target_id
    where b.account_id = ${accountId}
    order by b.id desc
    limit 1000`
  return rows.map(({ createdAt, finishedAt, warnings, ...row }) => ({
    ...row,
    warnings: showWarnings(warnings),
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }))
}

/** Returns the backups of an account that the caller sees. */
export async function listFor(db: Db, caller: Caller, username: string): Promise<AccountBackup[]> {
  const { id } = await get(db, caller, username)
  return list(db, id)
}

/**
 * Returns one backup of an account that the caller sees.
 *
 * @throws {PanelError} `backup_unknown`
 */
export async function findFor(db: Db, caller: Caller, username: string, id: string) {
  const found = (await listFor(db, caller, username)).find(one => one.id === id)
  if (found === undefined) throw new PanelError('backup_unknown', 'The account has no such backup')
  return found
}

/** Lists the backups whose databases are dumped and whose files are due to be read. */
export const listDue = (db: Db) => all<{ id: string }>(db)`
  select id::text from panel.account_backups where state in ('ready', 'running') order by id`

/** Lists the user numbers of the accounts that may need their spool. */
export async function listSpooled(db: Db): Promise<number[]> {
  const rows = await all<{ uid: number }>(db)`
    select a.uid from panel.account_backups b join panel.accounts a on a.id = b.account_id
    where b.state in ('preparing', 'ready', 'running')`
  return rows.map(({ uid }) => uid)
}

/** A started run. */
export const StartedRun = z.strictObject({
  id: z.string(),
  operationId: z.uuid(),
  epoch: z.int(),
  username: z.string(),
  /** Null if the account is gone. */
  uid: z.int().nullable(),
  dumps: z.array(z.string()),
  /** Whether an earlier run of the repository may have ended without a record. */
  isDirty: z.boolean(),
  repository: z.unknown(),
})
export type StartedRun = z.infer<typeof StartedRun>

/** Starts a run, or restarts it after an interruption; returns nothing if it has ended. */
export async function startRun(db: Db, id: string): Promise<StartedRun | undefined> {
  const started = await oneFirst<unknown>(db)`select panel.start_account_backup(${id})`
  return started === null ? undefined : StartedRun.parse(started)
}

/** The result of a finished run. */
export type RunResult = {
  snapshot: string
  contents: Contents
  /** The compressed list of its files. */
  list: Buffer
  bytesRead: number
  bytesAdded: number
  files: number
  durationMs: number
  warnings: BackupWarning[]
}

type Run = Pick<StartedRun, 'id' | 'epoch'>

/** Records a finished run with its event; returns false if it has ended otherwise meanwhile. */
export const finishRun = (
  db: Db,
  { id, epoch }: Run,
  { list, ...result }: RunResult,
  { body }: Event,
  hasScripts: boolean,
): Promise<boolean> => oneFirst<boolean>(db)`
  select panel.finish_account_backup(
    ${id}, ${epoch}, ${JSON.stringify(result)}, null, ${body}, ${hasScripts}, ${list})`

/** Records a failed run; returns false if it has ended otherwise meanwhile. */
export const failRun = (db: Db, { id, epoch }: Run, error: string): Promise<boolean> =>
  oneFirst<boolean>(db)`
    select panel.finish_account_backup(${id}, ${epoch}, null, ${error}, null, false, null)`

/** Returns whether a run is still the one to go on. */
export const isCurrent = (db: Db, { id, epoch }: Run): Promise<boolean> => oneFirst<boolean>(db)`
  select exists (
    select from panel.account_backups
    where id = ${id} and epoch = ${epoch} and state = 'running')`

/** Lists the snapshots of finished backups in a repository. */
export async function listSnapshots(db: Db, repositoryId: string): Promise<string[]> {
  const rows = await all<{ snapshot: string }>(db)`
    select snapshot from panel.account_backups
    where repository_id = ${repositoryId} and state = 'done'`
  return rows.map(({ snapshot }) => snapshot)
}

/** Lists the operations of failed backups in a repository: their snapshots were never recorded. */
export const listFailed = (db: Db, repositoryId: string) => anyFirst<string>(db)`
  select operation_id::text from panel.account_backups
  where repository_id = ${repositoryId} and state = 'failed' and snapshot is null`

/** Records which snapshots a repository has: backups without theirs have failed. */
export const noteLost = (db: Db, repositoryId: string, found: readonly string[]) =>
  run(db)`select panel.note_lost_snapshots(${repositoryId}, ${found})`
