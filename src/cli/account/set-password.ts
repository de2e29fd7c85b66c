import { Option } from 'clipanion'
import * as writes from '../../model/accounts/account-writes.ts'
import { newPassword } from '../password.ts'
import { AccountCommand, accountWords } from './account-command.ts'

export class AccountSetPasswordCommand extends AccountCommand {
  static override summary = "set an account's password"
  static override examples = { 'Set a password from a script': '$0 alice --password-stdin' }

  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act() {
    const { username } = this
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const made = isGenerated ? { password } : undefined
    return this.write(writes.setPassword, { username, password }, accountWords, made)
  }
}
