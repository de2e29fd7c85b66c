import { Option } from 'clipanion'
import { z } from 'zod'
import { remove } from '../../../model/mail/mail-aliases.ts'
import { mailboxAddress } from '../../../model/mail/mail-grammar.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { aliasWords } from './words.ts'

const Words = z.object({ alias: mailboxAddress })

export class MailAliasRmCommand extends AccountCommand {
  static override summary = 'remove a mail alias of an account'
  static override examples = {
    'Remove it without confirmation': '$0 alice contact@alice.example --yes',
  }

  alias = Option.String({ name: 'ADDRESS' })

  async act() {
    const { alias } = this.parse(Words)
    await this.ask(`Remove the mail alias ${alias} of ${this.username}?`)
    return this.write(remove, { username: this.username, alias }, aliasWords)
  }
}
