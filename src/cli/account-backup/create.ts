import { create } from '../../model/account-backups/account-backups.ts'
import { AccountCommand } from '../account/account-command.ts'
import { fields } from '../columns.ts'

export class AccountBackupCreateCommand extends AccountCommand {
  static override summary = 'back up an account now'
  static override details = `
    Stores the files, databases and settings of the account at the default target. It returns
    once the databases are dumped; \`panel account-backup show\` shows when the files are stored and
    read back. Temporary files, logs and caches are left out.
  `
  static override examples = { 'Back up an account': '$0 alice' }

  act() {
    return this.write(create, { username: this.username }, fields)
  }
}
