import { Option } from 'clipanion'
import { z } from 'zod'
import { mailboxAddress } from '../../../model/mail/mail-grammar.ts'
import { readMailPassword, setPassword } from '../../../model/mail/mailboxes.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { newPassword } from '../../password.ts'
import { mailboxWords } from './words.ts'

const Words = z.object({ mailbox: mailboxAddress })

export class MailMailboxPasswordCommand extends AccountCommand {
  static override summary = 'set the password of a mailbox'
  static override details = 'Connections with the former password are ended.'
  static override examples = {
    'Set a password from a script': '$0 alice info@alice.example --password-stdin',
  }

  mailbox = Option.String({ name: 'ADDRESS' })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act() {
    const words = this.parse(Words)
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const desired = { username: this.username, ...words, password: readMailPassword(password) }
    return this.write(setPassword, desired, mailboxWords, isGenerated ? { password } : undefined)
  }
}
