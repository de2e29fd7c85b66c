import { cronService, recordRuns } from '../../src/model/cron-jobs/cron-jobs.ts'
import { recordCrontabs } from '../../src/model/cron-jobs/own-crontabs.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Records what the machine reports of runs of cron jobs, and accounts' own crontabs.
const record: Task = async (_payload, _helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const service = cronService(host)
  await recordRuns(pool, service)
  await recordCrontabs(pool, service.readCrontabs)
}

export default record
