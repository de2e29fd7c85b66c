import { log } from '../../src/log.ts'
import * as bandwidth from '../../src/model/accounts/bandwidth.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Continues to read the access log where the last run stopped. A rotated file is read before the
// next one, and as long as it exists: nginx writes to it until it opens the new one.
const read: Task = async (_payload, helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const files = host.accessLogs()
  const positions = await bandwidth.listPositions(pool)
  for (const file of files) {
    const { offset, stored } = bandwidth.startOf(file, files, positions)
    let position = stored
    if (position !== offset) {
      await bandwidth.record(pool, file, position, { end: offset, sums: [] })
      position = offset
    }
    for await (const batch of host.readLog(file, offset)) {
      await bandwidth.record(pool, file, position, batch)
      position = batch.end
      if (batch.skipped > 0) log.info('lines of the access log skipped', { lines: batch.skipped })
      if (helpers.abortSignal.aborted) return
    }
  }
  await bandwidth.forgetPositions(pool, files)
}

export default read
