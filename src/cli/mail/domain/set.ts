import { Option } from 'clipanion'
import { z } from 'zod'
import { mailDomain, mailTarget } from '../../../model/mail/mail-grammar.ts'
import { set } from '../../../model/mail/mail-domains.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { mailDomainWords } from './words.ts'

const Words = z.object({
  domain: mailDomain,
  catch_all: z.union([z.literal('none'), mailTarget]).optional(),
})

export class MailDomainSetCommand extends AccountCommand {
  static override summary = 'set where mail for unknown addresses of a mail domain goes'
  static override details = 'The package has to allow it (--mail-catch-all).'
  static override examples = {
    'Lead it to a mailbox': '$0 alice alice.example --catch-all info@alice.example',
    'Refuse it again': '$0 alice alice.example --catch-all none',
  }

  domain = Option.String({ name: 'DOMAIN' })
  catch_all = Option.String('--catch-all', { description: 'an address, or none' })

  act() {
    const { domain, catch_all: to } = this.parse(Words)
    const change = to === undefined ? {} : { catch_all: to === 'none' ? null : to }
    return this.write(set, { username: this.username, domain, ...change }, mailDomainWords)
  }
}
