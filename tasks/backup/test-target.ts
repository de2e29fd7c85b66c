import { z } from 'zod'
import { backupTarget, unknownTarget } from '../../src/model/account-backups/target-writes.ts'
import { openTarget, SealedTarget, targetName } from '../../src/model/account-backups/targets.ts'
import { operation } from '../../src/queue/operation.ts'
import { testOpen } from '../../src/queue/backup-target.ts'

const Seen = z.object({ name: targetName, target: SealedTarget.nullable() })

// Writes, reads and deletes data at a target.
export default operation('backup/test-target', {
  subject: backupTarget,
  undo: 'nothing',
  async work({ context, started }) {
    const { name, target } = Seen.parse(started.seen)
    if (target === null) throw unknownTarget(name)
    await testOpen(context, openTarget(target, name, context.host.serverKey()))
    const change = { name, is_tested: true }
    return { status: 200, answer: { name, address: target.address }, change, events: [] }
  },
})
