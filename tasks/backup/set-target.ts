import { z } from 'zod'
import { backupTarget } from '../../src/model/account-backups/target-writes.ts'
import {
  openTarget,
  SealedTarget,
  sealTarget,
  targetName,
  withKept,
} from '../../src/model/account-backups/targets.ts'
import { operation } from '../../src/queue/operation.ts'
import { testOpen } from '../../src/queue/backup-target.ts'

const Seen = z.object({
  name: targetName,
  target: SealedTarget,
  before: SealedTarget.nullable(),
  isDefault: z.boolean(),
})

// Saves a target once data was written there, read and deleted.
export default operation('backup/set-target', {
  subject: backupTarget,
  undo: 'nothing',
  async work({ context, started }) {
    const { name, target: given, before, isDefault: is_default } = Seen.parse(started.seen)
    const key = context.host.serverKey()
    const open = (target: SealedTarget) => openTarget(target, name, key)
    const target = withKept(open(given), before === null ? undefined : open(before))
    await testOpen(context, target)
    const change = { name, target: sealTarget(target, name, key), is_default }
    return { status: 200, answer: { name, address: target.address }, change, events: [] }
  },
})
