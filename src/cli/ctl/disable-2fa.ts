import { getOperator } from '../../model/sellers/operators.ts'
import { disableSecondFactor, findSecondFactor } from '../../model/signing-in/second-factors.ts'
import { AskingCommand } from '../asking-command.ts'
import { optionalArgument } from '../completion/completers.ts'

export class CtlDisable2faCommand extends AskingCommand {
  static override summary = 'disable two-factor authentication for an administrator or reseller'
  static override details = `
    USER defaults to admin. The authenticator app and the recovery codes stop working, and all
    of the user's current API tokens and sessions are revoked, so the command asks for
    confirmation. Does nothing if two-factor authentication is off.
  `
  static override examples = {
    'Disable it for the administrator': '$0',
    'Disable it for a reseller': '$0 bob',
  }

  user = optionalArgument('USER', 'operators')

  async act(): Promise<void> {
    const name = this.user ?? 'admin'
    const { db } = await this.open()
    const person = { kind: 'operator', id: (await getOperator(db, name)).id } as const
    if ((await findSecondFactor(db, person)) !== undefined) {
      await this.ask(
        `This disables two-factor authentication for ${name} and revokes all their API tokens.`,
      )
    }
    const tokens = await this.recorded(
      db,
      (made: number | null) =>
        made === null ? undefined : { action: 'second-factor/disable', about: name },
      own => disableSecondFactor(own, person),
    )
    this.show({ name, was_enabled: tokens !== null, tokens_revoked: tokens ?? 0 })
    if (tokens === null) this.report(`${name} has no second factor: nothing was changed`)
    else if (tokens > 0)
      this.report(`create new tokens for programs that used ${name}'s: panel token create`)
  }
}
