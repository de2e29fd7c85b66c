import { Option } from 'clipanion'
import { fields } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { json } from '../foreign-text.ts'
import { PanelCommand } from '../panel-command.ts'
import { readBackup } from './read-backup.ts'

export class BackupVerifyCommand extends PanelCommand {
  static override summary = 'read a backup to its end and verify that it is complete'
  static override details = `
    Needs neither a panel nor a database, so that it can run where the backups are stored. An
    incomplete or damaged backup is refused, as by dr-restore.
  `
  static override examples = { 'Verify a backup': '$0 /mnt/backups/panel.age' }

  file = argument('FILE', 'files')
  override json = Option.Boolean('--json', false, {
    description: 'print the result as JSON, for scripts',
  })
  passphraseStdin = Option.Boolean('--passphrase-stdin', false, {
    description: 'read the passphrase from standard input',
  })

  async perform(): Promise<void> {
    const { context, file, passphraseStdin } = this
    const { description } = await readBackup(context, 'Reading', file, passphraseStdin)
    const { id, created_at, release, server_id, server, host, accounts } = description
    const result = { id, created_at, release, server_id, server, host, accounts: accounts.length }
    this.print(this.json ? json({ ...result, is_whole: true }) : fields(result))
  }
}
