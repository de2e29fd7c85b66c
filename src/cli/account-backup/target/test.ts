import { Option } from 'clipanion'
import { z } from 'zod'
import { testTarget } from '../../../model/account-backups/target-writes.ts'
import { targetName } from '../../../model/account-backups/targets.ts'
import { WriteCommand } from '../../write-command.ts'
import { targetWords } from './words.ts'

const Words = z.object({ name: targetName })

export class AccountBackupTargetTestCommand extends WriteCommand {
  static override summary = 'test a target for backups of accounts'
  static override details =
    'Writes, reads and deletes data there; where it is append-only, deletes nothing.'
  static override examples = { 'Test it': '$0 disk' }

  name = Option.String({ name: 'NAME' })

  async act() {
    const { name } = this.parse(Words)
    return this.write(testTarget, { name }, targetWords)
  }
}
