import { getOperator } from '../../model/sellers/operators.ts'
import { disableSecondFactor, findSecondFactor } from '../../model/signing-in/second-factors.ts'
import { AskingCommand } from '../asking-command.ts'
import { optionalArgument } from '../completion/completers.ts'

export class CtlDisable2faCommand extends AskingCommand {
  static override summary = 'let an administrator or a reseller sign in without a second factor'
  static override details = `
    Without a name it is admin. The app and the recovery codes are good for nothing any more, and
    all API tokens and sessions that their owner has until now are void, so that it asks first.
    Where there is no second factor nothing changes.
  `
  static override examples = {
    'Let the administrator in': '$0',
    'Let a reseller in': '$0 bob',
  }

  user = optionalArgument('USER', 'operators')

  async act(): Promise<void> {
    const name = this.user ?? 'admin'
    const { db } = await this.open()
    const person = { kind: 'operator', id: (await getOperator(db, name)).id } as const
    if ((await findSecondFactor(db, person)) !== undefined) {
      await this.ask(`The second factor and all API tokens of ${name} become void.`)
    }
    const tokens = await this.recorded(
      db,
      (made: number | null) =>
        made === null ? undefined : { action: 'second-factor/disable', about: name },
      own => disableSecondFactor(own, person),
    )
    this.show({ name, was_enabled: tokens !== null, tokens_revoked: tokens ?? 0 })
    if (tokens === null) this.report(`${name} has no second factor; nothing was changed`)
    else if (tokens > 0) this.report(`programs of ${name} need another token: panel token create`)
  }
}
