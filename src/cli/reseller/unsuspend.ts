import { setSuspended } from '../../model/sellers/resellers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerUnsuspendCommand extends DatabaseCommand {
  static override summary = 'reactivate a suspended reseller'
  static override examples = { 'Reactivate a reseller': '$0 bob' }

  name = argument('NAME', 'resellers')

  async act(): Promise<void> {
    const { db } = await this.open()
    const change = { action: 'reseller/unsuspend', about: this.name } as const
    const suspended_at = await this.recorded(db, change, own => setSuspended(own, this.name, false))
    this.show({ name: this.name, suspended_at })
  }
}
