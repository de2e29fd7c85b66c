import { z } from 'zod'
import {
  backupTarget,
  openTarget,
  SealedTarget,
  targetName,
} from '../../src/model/account-backups/targets.ts'
import { operation } from '../../src/queue/operation.ts'
import { testOpen } from '../../src/queue/backup-target.ts'

const Seen = z.object({ name: targetName, target: SealedTarget, isDefault: z.boolean() })

// Saves a target once data was written there, read and deleted.
export default operation('backup/set-target', {
  subject: backupTarget,
  undo: 'nothing',
  async work({ context, started }) {
    const { name, target, isDefault: is_default } = Seen.parse(started.seen)
    await testOpen(context, openTarget(target, name, context.host.serverKey()))
    const change = { name, target, is_default }
    return { status: 200, answer: { name, ...target.address }, change, events: [] }
  },
})
