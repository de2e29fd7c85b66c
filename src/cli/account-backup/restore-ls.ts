import { type AccountRestore, listFor } from '../../model/account-backups/restores.ts'
import { rootCaller } from '../../model/signing-in/callers.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class AccountBackupRestoreLsCommand extends DatabaseCommand {
  static override summary = 'list the restores of an account'
  static override details =
    'The newest is first. SAVED is the backup that was made before the restore.'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const restores = await listFor(db, await rootCaller(db), this.username)
    const rows = restores.map(one => [
      ...[one.id, one.created_at, one.state, one.backup ?? '', one.safety_backup ?? ''],
      ...[String(one.files ?? ''), String(one.bytes ?? ''), remarkOf(one)],
    ])
    const head = ['ID', 'CREATED', 'STATE', 'BACKUP', 'SAVED', 'FILES', 'BYTES', 'REMARK']
    this.show({ restores }, table(head, rows, { hasRemark: true }))
  }
}

const remarkOf = ({ error, warnings }: AccountRestore): string =>
  error ?? warnings.map(({ message }) => message).join('; ')
