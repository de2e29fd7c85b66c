import { Option } from 'clipanion'
import { changePassword, getOperator } from '../../model/sellers/operators.ts'
import { optionalArgument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'
import { newPassword } from '../password.ts'

export class CtlResetPasswordCommand extends DatabaseCommand {
  static override summary = 'give an administrator or a reseller another password'
  static override details = `
    Without a name it is admin. The password is asked for. With --password-stdin it is read from
    standard input; where there is neither that nor a terminal, one is made and shown once.

    All API tokens and sessions that its owner has until now are void. A second factor stays:
    \`panel ctl disable-2fa\`.
  `
  static override examples = {
    'Give the administrator another password': '$0',
    'Give a reseller one, from a script': '$0 bob --password-stdin --json',
  }

  user = optionalArgument('USER', 'operators')
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })

  async act(): Promise<void> {
    const name = this.user ?? 'admin'
    const { db } = await this.open()
    // Nobody is asked for a password that is not set.
    await getOperator(db, name)
    const { password, isGenerated } = await newPassword(this.context, this.passwordStdin)
    const change = { action: 'operator/set-password', about: name } as const
    const tokens = await this.recorded(db, change, own => changePassword(own, name, password))
    this.show({ name, tokens_revoked: tokens, ...(isGenerated ? { password } : {}) })
    if (isGenerated) this.report('the password is shown this once')
    if (tokens > 0) this.report(`programs of ${name} need another token: panel token create`)
  }
}
