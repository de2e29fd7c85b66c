import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Option } from 'clipanion'
import { transaction } from '../../db.ts'
import {
  backupsFolder,
  estimateBytes,
  recordBackup,
  recordFailedBackup,
  showBackup,
} from '../../model/server/backups.ts'
import { fields } from '../columns.ts'
import { option } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { newPassphrase } from '../passphrase.ts'
import { openProgress, type Progress } from '../progress.ts'

export class BackupCreateCommand extends DatabaseCommand {
  static override summary = 'back up everything that a new server needs to replace this one'
  static override details = `
    The backup holds the database, settings, the server's key, the license, hook scripts,
    certificates, crontabs and homes, encrypted with a passphrase in the age format. The
    passphrase is prompted for, or read from standard input with --passphrase-stdin. Without it
    the backup cannot be restored: store it elsewhere. The contents of accounts' databases are
    not included; back them up with \`panel database export\`.

    The file is read back before it gets its final name, and the event backup.completed is sent.
    By default it is written below the state directory; copy it to another machine.
  `
  static override examples = {
    'Back up this server': '$0',
    'Back it up from a script': '$0 --output /mnt/backups/panel.age --passphrase-stdin --json',
  }

  output = option('--output', 'files', 'the output file')
  passphraseStdin = Option.Boolean('--passphrase-stdin', false, {
    description: 'read the passphrase from standard input',
  })

  async act(): Promise<void> {
    const panel = await this.open()
    const { db, config, databaseUrl, settingsFile } = panel
    const passphrase = await newPassphrase(this.context, this.passphraseStdin)
    const path = this.output === undefined ? defaultPath(config.stateDir) : resolve(this.output)
    const { stderr } = this.context
    const writing = openProgress(stderr, 'Writing', await estimateBytes(db), 'MiB')
    let reading: Progress | undefined
    let bytes = 0
    // Loaded only now, so that --help is quick.
    const { createBackup } = await import('../../backup/create.ts')
    const backup = await createBackup({
      config,
      databaseUrl,
      settingsFile,
      path,
      passphrase,
      onWritten(more) {
        bytes += more
        writing.add(more)
      },
      onRead(more) {
        writing.end()
        reading ??= openProgress(stderr, 'Reading back', bytes, 'MiB')
        reading.add(more)
      },
    })
      .catch(async (error: unknown) => {
        await recordFailedBackup(db, String((error as Error).message).slice(0, 1_000))
        throw error
      })
      .finally(() => {
        writing.end()
        reading?.end()
      })
    await transaction(db, client => recordBackup(client, backup, config.serverName))
    const shown = showBackup(backup)
    const messages = shown.warnings.map(({ message }) => message)
    this.show(shown, fields({ ...shown, warnings: messages }))
    for (const message of messages) this.report(message)
  }
}

function defaultPath(stateDir: string): string {
  const time = new Date().toISOString().replace(/[-:]|\.[0-9]+/g, '')
  const path = join(backupsFolder(stateDir), `panel-${time}.tar.age`)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}
