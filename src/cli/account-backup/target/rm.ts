import { Option } from 'clipanion'
import { z } from 'zod'
import { removeTarget } from '../../../model/account-backups/target-writes.ts'
import { targetName } from '../../../model/account-backups/targets.ts'
import { WriteCommand } from '../../write-command.ts'
import { targetWords } from './words.ts'

const Words = z.object({ name: targetName })

export class AccountBackupTargetRmCommand extends WriteCommand {
  static override summary = 'remove a target for backups of accounts'
  static override details = 'A target with backups cannot be removed.'
  static override examples = { 'Remove it without confirmation': '$0 disk --yes' }

  name = Option.String({ name: 'NAME' })

  async act() {
    const { name } = this.parse(Words)
    await this.ask(`Remove the backup target ${name}?`)
    return this.write(removeTarget, { name }, targetWords)
  }
}
