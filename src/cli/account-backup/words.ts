import type { AccountBackup } from '../../model/account-backups/account-backups.ts'
import { fields, type Layout } from '../columns.ts'

/** Formats a backup for people. */
export const backupWords = (backup: AccountBackup): Layout =>
  fields({
    id: backup.id,
    state: backup.state,
    error: backup.error,
    created: backup.created_at,
    finished: backup.finished_at,
    target: backup.target,
    dumps: backup.dumps,
    files: backup.files,
    bytes: backup.bytes_read,
    bytes_added: backup.bytes_added,
    duration_ms: backup.duration_ms,
    warnings: backup.warnings.map(({ message }) => message),
  })
