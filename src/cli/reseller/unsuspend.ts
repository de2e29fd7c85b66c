import { Option } from 'clipanion'
import { setSuspended } from '../../model/resellers.ts'
import { DatabaseCommand } from '../database-command.ts'

export class ResellerUnsuspendCommand extends DatabaseCommand {
  static override summary = 'let a suspended reseller act again'
  static override examples = { 'Let a reseller act again': '$0 bob' }

  name = Option.String({ name: 'NAME' })

  async act(): Promise<void> {
    const { db } = await this.open()
    this.show({ name: this.name, suspended_at: await setSuspended(db, this.name, false) })
  }
}
