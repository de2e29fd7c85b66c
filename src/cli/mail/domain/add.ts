import { Option } from 'clipanion'
import { add, NewMailDomain } from '../../../model/mail/mail-domains.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { mailDomainWords } from './words.ts'

export class MailDomainAddCommand extends AccountCommand {
  static override summary = 'add a mail domain to an account'
  static override details = `
    It receives mail once its DNS records show that it belongs to the account: either mail for it is
    sent to this server and the account has a website of that name, or it has the TXT record shown.
  `
  static override examples = { 'Add a domain': '$0 alice alice.example' }

  domain = Option.String({ name: 'DOMAIN' })

  act() {
    const desired = { username: this.username, ...this.parse(NewMailDomain) }
    return this.write(add, desired, mailDomainWords)
  }
}
