import { cronService, recordRuns } from '../../src/model/cron-jobs/cron-jobs.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Records what the machine reports of runs of cron jobs.
const record: Task = async (_payload, _helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  await recordRuns(pool, cronService(host))
}

export default record
