import { Option, UsageError } from 'clipanion'
import { demandSecondFactor, demandsSecondFactor } from '../../model/signing-in/demands.ts'
import { DatabaseCommand } from '../database-command.ts'

export class CtlDemand2faCommand extends DatabaseCommand {
  static override summary = 'show or set whether two-factor authentication is required'
  static override details = `
    Applies to administrators and resellers. When it is switched on, those without a second
    factor are signed out and must set one up at their next sign-in. Their API tokens keep
    working.
  `
  static override examples = {
    'Show whether it is required': '$0',
    'Require it': '$0 --on',
    'Make it optional': '$0 --off',
  }

  on = Option.Boolean('--on', false, { description: 'require two-factor authentication' })
  off = Option.Boolean('--off', false, { description: 'make two-factor authentication optional' })

  async act(): Promise<void> {
    if (this.on && this.off) throw new UsageError('Use either --on or --off')
    const { db } = await this.open()
    if (this.on || this.off) {
      const about = this.on ? 'yes' : 'no'
      await this.recorded(db, { action: 'settings/demand-second-factor', about }, own =>
        demandSecondFactor(own, null, this.on),
      )
    }
    const demanded = await demandsSecondFactor(db)
    this.show({ demanded })
  }
}
