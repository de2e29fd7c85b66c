import { Option } from 'clipanion'
import { z } from 'zod'
import { mailDomain } from '../../../model/mail/mail-grammar.ts'
import { remove } from '../../../model/mail/mail-domains.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { mailDomainWords } from './words.ts'

const Words = z.object({ domain: mailDomain })

export class MailDomainRmCommand extends AccountCommand {
  static override summary = 'remove a mail domain of an account, with its aliases'
  static override details = 'Remove its mailboxes first.'
  static override examples = { 'Remove it without confirmation': '$0 alice alice.example --yes' }

  domain = Option.String({ name: 'DOMAIN' })

  async act() {
    const { domain } = this.parse(Words)
    await this.ask(`Remove the mail domain ${domain} of ${this.username}?`)
    return this.write(remove, { username: this.username, domain }, mailDomainWords)
  }
}
