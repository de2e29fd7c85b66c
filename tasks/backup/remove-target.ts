import { z } from 'zod'
import { PanelError } from '../../src/errors.ts'
import { backupTarget, unknownTarget } from '../../src/model/account-backups/target-writes.ts'
import { SealedTarget, targetName } from '../../src/model/account-backups/targets.ts'
import { operation } from '../../src/queue/operation.ts'

const Seen = z.object({
  name: targetName,
  target: SealedTarget.nullable(),
  repositories: z.int(),
})

// Forgets a target without a repository: with one, its keys would be lost.
export default operation('backup/remove-target', {
  subject: backupTarget,
  undo: 'nothing',
  async work({ started }) {
    const { name, target, repositories } = Seen.parse(started.seen)
    if (target === null) throw unknownTarget(name)
    if (repositories > 0) {
      const accounts = repositories === 1 ? 'an account' : `${repositories} accounts`
      throw new PanelError('invalid', `The target ${name} has backups of ${accounts}`)
    }
    const change = { name, is_removed: true }
    return { status: 200, answer: { name, address: target.address }, change, events: [] }
  },
})
