import { Command, Option } from 'clipanion'
import { setSuspended } from '../../model/resellers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerSuspendCommand extends DatabaseCommand {
  static override paths = [['reseller', 'suspend']]
  static override usage = Command.Usage({
    category: 'People',
    description: 'refuse what a reseller asks for',
    details: 'Its tokens are answered 403. Its accounts and their websites go on as they are.',
    examples: [['Suspend a reseller', '$0 reseller suspend bob']],
  })

  name = Option.String({ name: 'NAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const result = { name: this.name, suspended_at: await setSuspended(db, this.name, true) }
    this.show(result)
  }
}
