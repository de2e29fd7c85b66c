import { existsSync } from 'node:fs'
import { Command } from 'clipanion'
import { listBackups } from '../../model/backups.ts'
import { table } from '../columns.ts'
import { DatabaseCommand } from '../database-command.ts'

export class BackupLsCommand extends DatabaseCommand {
  static override paths = [['backup', 'ls']]
  static override usage = Command.Usage({
    category: 'Backups',
    description: 'list the backups that were made',
    details: 'One whose file is not there any more is shown as such.',
    examples: [['List them', '$0 backup ls']],
  })

  async act(): Promise<void> {
    const { db } = await this.open()
    const backups = (await listBackups(db)).map(backup => ({
      ...backup,
      is_there: existsSync(backup.path),
    }))
    const rows = backups.map(one => [one.started_at, one.is_there, one.path, one.bytes])
    this.show({ backups }, table(['STARTED', 'THERE', 'FILE', 'BYTES'], rows, { least: 3 }))
  }
}
