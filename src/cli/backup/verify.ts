import { statSync } from 'node:fs'
import { Option } from 'clipanion'
import { fields } from '../columns.ts'
import { json } from '../foreign-text.ts'
import { PanelCommand } from '../panel-command.ts'
import { readPassphrase } from '../passphrase.ts'
import { openProgress } from '../progress.ts'

export class BackupVerifyCommand extends PanelCommand {
  static override summary = 'read a backup to its end and say whether it is whole'
  static override details = `
    It needs no panel and no database, so that it can be done where the backups are. What is not
    whole is refused, as dr-restore would.
  `
  static override examples = { 'Verify a backup': '$0 /mnt/backups/panel.age' }

  file = Option.String({ name: 'FILE' })
  json = Option.Boolean('--json', false, { description: 'print the result as JSON, for scripts' })
  passphraseStdin = Option.Boolean('--passphrase-stdin', false, {
    description: 'read the passphrase from standard input',
  })

  async perform(): Promise<void> {
    // Loaded only now, so that --help is quick.
    const { requireSealed } = await import('../../backup/sealed.ts')
    await requireSealed(this.file)
    const passphrase = await readPassphrase(this.context, {
      isFromStdin: this.passphraseStdin,
      isNew: false,
    })
    const { size = 0 } = statSync(this.file, { throwIfNoEntry: false }) ?? {}
    const progress = openProgress(this.context.stderr, {
      doing: 'Reading',
      total: size,
      isBytes: true,
    })
    const { readArchive } = await import('../../backup/archive-reader.ts')
    const { id, created_at, release, server_id, server, host, accounts } = await readArchive(
      this.file,
      passphrase,
      { onBytes: progress.add },
    ).finally(progress.end)
    const result = { id, created_at, release, server_id, server, host, accounts: accounts.length }
    this.print(this.json ? json({ ...result, is_whole: true }) : fields(result))
  }
}
