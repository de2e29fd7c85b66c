import * as usage from '../../src/model/accounts/usage.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Measures the disk usage of every account. An account that can't be measured keeps its last
// measurement; the API shows its age.
const measure: Task = async (_payload, helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  for await (const uses of host.measureDisk(await usage.listMeasurable(pool))) {
    await usage.recordDisk(pool, uses)
    if (helpers.abortSignal.aborted) return
  }
}

export default measure
