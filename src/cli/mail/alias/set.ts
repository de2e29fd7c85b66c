import { Option } from 'clipanion'
import { AliasTargets, set } from '../../../model/mail/mail-aliases.ts'
import { mailboxAddress } from '../../../model/mail/mail-grammar.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { aliasWords } from './words.ts'

const Words = AliasTargets.extend({ alias: mailboxAddress })

export class MailAliasSetCommand extends AccountCommand {
  static override summary = 'set where mail for an address goes'
  static override details = `
    Adds the alias, or changes where it leads: to addresses here or elsewhere. With the name of a
    mailbox it decides about its mail: to keep a copy, name the mailbox among the targets.
  `
  static override examples = {
    'Forward an address': '$0 alice contact@alice.example alice@example.com',
  }

  alias = Option.String({ name: 'ADDRESS' })
  targets = Option.Rest({ name: 'TARGET', required: 1 })

  act() {
    return this.write(set, { username: this.username, ...this.parse(Words) }, aliasWords)
  }
}
