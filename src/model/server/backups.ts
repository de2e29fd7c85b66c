import { join } from 'node:path'
import { all, type Db, maybeOne, run, oneFirst } from '../../db.ts'
import { emit, event } from '../events/events.ts'
import { type BackupWarning, type ShownWarning, showWarnings } from './backup-warnings.ts'

/** A backup that was written and verified. */
export type Backup = {
  id: string
  path: string
  bytes: number
  started_at: Date
  duration_ms: number
  release: string
  warnings: BackupWarning[]
}

/** A backup as people and scripts see it. */
export type ShownBackup = Omit<Backup, 'warnings'> & { warnings: ShownWarning[] }

/** Returns the default folder of backups. */
export const backupsFolder = (stateDir: string): string => join(stateDir, 'backups')

/** Records a backup and its event in the caller's transaction. */
export async function recordBackup(db: Db, backup: Backup, server: string): Promise<void> {
  const { id, path, bytes, started_at, duration_ms, release, warnings } = backup
  await run(db)`
    insert into panel.backups (id, path, bytes, started_at, duration_ms, release, warnings)
    values (${id}, ${path}, ${bytes}, ${started_at}, ${duration_ms}, ${release},
      ${JSON.stringify(warnings)})`
  const data = { kind: 'full', scope: 'server', bytes, duration_ms }
  await emit(db, event('backup.completed', data, { server, time: new Date() }))
}

/** Records that a backup failed, for notices; the latest successful one ends the trouble. */
export const recordFailedBackup = (db: Db, error: string) =>
  run(db)`insert into panel.failed_backups (error) values (${error})`

export const showBackup = (backup: Backup): ShownBackup => ({
  ...backup,
  warnings: showWarnings(backup.warnings),
})

/** Lists backups, newest first. */
export async function listBackups(db: Db): Promise<ShownBackup[]> {
  const rows = await all<Backup>(db)`
    select id, path, bytes::float8 as bytes, started_at, duration_ms, release, warnings
    from panel.backups
    order by started_at desc, id`
  return rows.map(showBackup)
}

export const newestBackup = (db: Db) => maybeOne<{ started_at: Date }>(db)`
  select started_at from panel.backups order by started_at desc limit 1`

/** Estimates the size of a backup from the size of the database and the last disk measurement. */
export const estimateBytes = (db: Db) => oneFirst<number>(db)`
  select (pg_database_size(current_database())
    + coalesce((select sum(bytes) from panel.disk_usage), 0))::float8`
