import { Command, Option } from 'clipanion'
import { setSuspended } from '../../model/resellers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerUnsuspendCommand extends DatabaseCommand {
  static override paths = [['reseller', 'unsuspend']]
  static override usage = Command.Usage({
    category: 'People',
    description: 'let a suspended reseller act again',
    examples: [['Let a reseller act again', '$0 reseller unsuspend bob']],
  })

  name = Option.String({ name: 'NAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    const result = { name: this.name, suspended_at: await setSuspended(db, this.name, false) }
    this.show(result)
  }
}
