import { mailService } from '../../src/model/mail/mail-domains.ts'
import { listMeasurable, recordSizes } from '../../src/model/mail/mailbox-sizes.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Measures the messages of all mailboxes. One that can't be measured keeps its last measurement.
const measure: Task = async (_payload, { abortSignal }, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const mailboxes = await listMeasurable(pool)
  if (mailboxes.length === 0) return
  for await (const sizes of mailService(host).measure(mailboxes)) {
    await recordSizes(pool, sizes)
    if (abortSignal.aborted) return
  }
}

export default measure
