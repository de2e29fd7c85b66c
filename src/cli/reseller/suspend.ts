import { Option } from 'clipanion'
import { setSuspended } from '../../model/resellers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerSuspendCommand extends DatabaseCommand {
  static override summary = 'refuse what a reseller asks for'
  static override details =
    'Its tokens are answered 403. Its accounts and their websites go on as they are.'
  static override examples = { 'Suspend a reseller': '$0 bob' }

  name = Option.String({ name: 'NAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    this.show({ name: this.name, suspended_at: await setSuspended(db, this.name, true) })
  }
}
