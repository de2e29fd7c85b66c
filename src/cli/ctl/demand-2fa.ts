import { Option, UsageError } from 'clipanion'
import { demandSecondFactor, demandsSecondFactor } from '../../model/signing-in/demands.ts'
import { DatabaseCommand } from '../database-command.ts'

export class CtlDemand2faCommand extends DatabaseCommand {
  static override summary =
    'tell or change whether administrators and resellers need a second factor'
  static override details = `
    Who has none is signed out when it is switched on, and sets one up with the next sign-in. Their
    API tokens work on.
  `
  static override examples = {
    'Tell whether they need one': '$0',
    'Demand one': '$0 --on',
    'Leave it to them': '$0 --off',
  }

  on = Option.Boolean('--on', false, { description: 'demand one from now on' })
  off = Option.Boolean('--off', false, { description: 'demand none any more' })

  async act(): Promise<void> {
    if (this.on && this.off) throw new UsageError('It is either --on or --off')
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
