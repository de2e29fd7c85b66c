import { Option } from 'clipanion'
import { z } from 'zod'
import { mailboxAddress, quotaMb } from '../../../model/mail/mail-grammar.ts'
import { add, readMailPassword } from '../../../model/mail/mailboxes.ts'
import { AccountCommand } from '../../account/account-command.ts'
import { newPassword } from '../../password.ts'
import { wholeNumber } from '../../words.ts'
import { mailboxWords } from './words.ts'

const Words = z.object({ mailbox: mailboxAddress, quota_mb: wholeNumber.pipe(quotaMb).optional() })

export class MailMailboxAddCommand extends AccountCommand {
  static override summary = 'add a mailbox to a mail domain of an account'
  static override details = `
    Its address is the name to log in with. Without --password-stdin the password is asked for, or
    generated and shown once.
  `
  static override examples = {
    'Add a mailbox of 2 GB': '$0 alice info@alice.example --quota-mb 2048',
  }

  mailbox = Option.String({ name: 'ADDRESS' })
  quota_mb = Option.String('--quota-mb', {
    description: 'its maximum size in MB; 1024 if left out',
  })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act() {
    const words = this.parse(Words)
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const desired = { username: this.username, ...words, password: readMailPassword(password) }
    return this.write(add, desired, mailboxWords, isGenerated ? { password } : undefined)
  }
}
