import { setSuspended } from '../../model/sellers/resellers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerSuspendCommand extends DatabaseCommand {
  static override summary = 'refuse what a reseller asks for'
  static override details =
    'Its tokens are answered 403. Its accounts and their websites go on as they are.'
  static override examples = { 'Suspend a reseller': '$0 bob' }

  name = argument('NAME', 'resellers')

  async act(): Promise<void> {
    const { db } = await this.open()
    const change = { action: 'reseller/suspend', about: this.name } as const
    const suspended_at = await this.recorded(db, change, own => setSuspended(own, this.name, true))
    this.show({ name: this.name, suspended_at })
  }
}
