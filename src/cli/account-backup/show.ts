import { Option } from 'clipanion'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { findFor } from '../../model/account-backups/account-backups.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { backupWords } from './words.ts'

export class AccountBackupShowCommand extends DatabaseCommand {
  static override summary = 'show a backup of an account'
  static override details = 'Take the ID from `panel account-backup ls`.'
  static override examples = { 'Show it': '$0 alice 7' }

  username = argument('USERNAME', 'accounts')
  id = Option.String({ name: 'ID' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const found = await findFor(db, await rootCaller(db), this.username, this.id)
    this.show(found, backupWords(found))
  }
}
