import { listFor } from '../../../model/mail/mail-domains.ts'
import { rootCaller } from '../../../model/signing-in/callers.ts'
import { table } from '../../columns.ts'
import { argument } from '../../completion/completers.ts'
import { DatabaseCommand } from '../../database-command.ts'

export class MailDomainLsCommand extends DatabaseCommand {
  static override summary = 'list the mail domains of an account'
  static override details = '--json includes the DNS records that they need.'
  static override examples = { 'List them': '$0 alice' }

  username = argument('USERNAME', 'accounts')

  async act(): Promise<void> {
    const { db } = await this.open()
    const domains = await listFor(db, await rootCaller(db), this.username)
    const rows = domains.map(({ domain, state, catch_all: to }) => [domain, state, to ?? ''])
    this.show({ mail_domains: domains }, table(['DOMAIN', 'STATE', 'CATCH ALL'], rows))
  }
}
