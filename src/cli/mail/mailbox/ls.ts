import { listFor } from '../../../model/mail/mailboxes.ts'
import { rootCaller } from '../../../model/signing-in/callers.ts'
import { table } from '../../columns.ts'
import { argument } from '../../completion/completers.ts'
import { DatabaseCommand } from '../../database-command.ts'

export class MailMailboxLsCommand extends DatabaseCommand {
  static override summary = 'list the mailboxes of an account'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const mailboxes = await listFor(db, await rootCaller(db), this.username)
    const rows = mailboxes.map(({ mailbox, quota_mb, used_mb, autoresponder }) => [
      ...[mailbox, String(quota_mb), String(used_mb ?? '—')],
      autoresponder === null ? 'no' : 'yes',
    ])
    this.show({ mailboxes }, table(['MAILBOX', 'QUOTA MB', 'USED MB', 'AUTORESPONDER'], rows))
  }
}
