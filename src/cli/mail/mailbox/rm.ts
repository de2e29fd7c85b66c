import { Option } from 'clipanion'
import { z } from 'zod'
import { mailboxAddress } from '../../../model/mail/mail-grammar.ts'
import { remove } from '../../../model/mail/mailboxes.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { mailboxWords } from './words.ts'

const Words = z.object({ mailbox: mailboxAddress })

export class MailMailboxRmCommand extends AccountCommand {
  static override summary = 'remove a mailbox of an account'
  static override details = "Its mail is kept in the account's files, as removed-ADDRESS."
  static override examples = {
    'Remove it without confirmation': '$0 alice info@alice.example --yes',
  }

  mailbox = Option.String({ name: 'ADDRESS' })

  async act() {
    const { mailbox } = this.parse(Words)
    await this.ask(`Remove the mailbox ${mailbox} of ${this.username}?`)
    return this.write(remove, { username: this.username, mailbox }, mailboxWords)
  }
}
