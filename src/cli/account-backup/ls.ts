import { rootCaller } from '../../model/signing-in/callers.ts'
import { listFor } from '../../model/account-backups/account-backups.ts'
import { table } from '../columns.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class AccountBackupLsCommand extends DatabaseCommand {
  static override summary = 'list the backups of an account'
  static override details =
    'The newest is first. ADDED is the size of what the earlier backups did not have.'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const backups = await listFor(db, await rootCaller(db), this.username)
    const rows = backups.map(one => [
      ...[one.id, one.created_at, one.state, one.target ?? '', String(one.files ?? '')],
      ...[String(one.bytes_read ?? ''), String(one.bytes_added ?? '')],
      String(one.dumps.length),
    ])
    const head = ['ID', 'CREATED', 'STATE', 'TARGET', 'FILES', 'BYTES', 'ADDED', 'DUMPS']
    this.show({ backups }, table(head, rows))
  }
}
