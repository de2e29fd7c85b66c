import { Option } from 'clipanion'
import { changePassword, getOperator } from '../../model/sellers/operators.ts'
import { optionalArgument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { newPassword } from '../password.ts'

export class CtlResetPasswordCommand extends DatabaseCommand {
  static override summary = 'set a new password for an administrator or reseller'
  static override details = `
    USER defaults to admin. The password is prompted for, or read from standard input with
    --password-stdin. Without either, a password is generated and shown once.

    All of the user's current API tokens and sessions are revoked. Two-factor authentication
    stays on; see \`panel ctl disable-2fa\`.
  `
  static override examples = {
    'Set a new password for the administrator': '$0',
    'Set one for a reseller from a script': '$0 bob --password-stdin --json',
  }

  user = optionalArgument('USER', 'operators')
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act(): Promise<void> {
    const name = this.user ?? 'admin'
    const { db } = await this.open()
    // Check the name before asking for a password.
    await getOperator(db, name)
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const change = { action: 'operator/set-password', about: name } as const
    const tokens = await this.recorded(db, change, own => changePassword(own, name, password))
    this.show({ name, tokens_revoked: tokens, ...(isGenerated ? { password } : {}) })
    if (isGenerated) this.report('the password will not be shown again')
    if (tokens > 0)
      this.report(`create new tokens for programs that used ${name}'s: panel token create`)
  }
}
