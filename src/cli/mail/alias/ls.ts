import { listFor } from '../../../model/mail/mail-aliases.ts'
import { rootCaller } from '../../../model/signing-in/callers.ts'
import { table } from '../../columns.ts'
import { argument } from '../../completion/completers.ts'
import { DatabaseCommand } from '../../database-command.ts'

export class MailAliasLsCommand extends DatabaseCommand {
  static override summary = 'list the mail aliases of an account'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const aliases = await listFor(db, await rootCaller(db), this.username)
    const rows = aliases.map(({ alias, targets }) => [alias, targets])
    this.show({ mail_aliases: aliases }, table(['ALIAS', 'TARGETS'], rows))
  }
}
