import { setSuspended } from '../../model/sellers/resellers.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerSuspendCommand extends DatabaseCommand {
  static override summary = 'suspend a reseller'
  static override details = `
    Requests with the reseller's tokens get a 403. The reseller's accounts and their websites
    keep working.
  `
  static override examples = { 'Suspend a reseller': '$0 bob' }

  name = argument('NAME', 'resellers')

  async act(): Promise<void> {
    const { db } = await this.open()
    const change = { action: 'reseller/suspend', about: this.name } as const
    const suspended_at = await this.recorded(db, change, own => setSuspended(own, this.name, true))
    this.show({ name: this.name, suspended_at })
  }
}
