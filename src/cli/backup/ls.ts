import { existsSync } from 'node:fs'
import { listBackups } from '../../model/server/backups.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

export class BackupLsCommand extends DatabaseCommand {
  static override summary = 'list the backups that were made'
  static override details = 'A backup whose file no longer exists is marked as such.'
  static override examples = { 'List them': '$0' }

  async act(): Promise<void> {
    const { db } = await this.open()
    const backups = (await listBackups(db)).map(backup => ({
      ...backup,
      is_there: existsSync(backup.path),
    }))
    const rows = backups.map(one => [one.started_at, one.is_there, one.path, one.bytes])
    this.show({ backups }, table(['STARTED', 'THERE', 'FILE', 'BYTES'], rows, { minColumns: 3 }))
  }
}
