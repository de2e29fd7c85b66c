import { Option } from 'clipanion'
import { z } from 'zod'
import { check } from '../../../model/mail/mail-domains.ts'
import { mailDomain } from '../../../model/mail/mail-grammar.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { mailDomainWords } from './words.ts'

const Words = z.object({ domain: mailDomain })

export class MailDomainCheckCommand extends AccountCommand {
  static override summary = 'check the DNS records of a mail domain now'
  static override details = `
    They are checked within seconds instead of at the next time; panel mail domain show then shows
    what was found.
  `
  static override examples = { 'Check them after a change': '$0 alice alice.example' }

  domain = Option.String({ name: 'DOMAIN' })

  act() {
    const { domain } = this.parse(Words)
    return this.write(check, { username: this.username, domain }, mailDomainWords)
  }
}
