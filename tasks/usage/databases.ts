import { databaseService } from '../../src/model/databases/database-service.ts'
import * as sizes from '../../src/model/databases/database-sizes.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import type { Task } from '../../src/queue/task.ts'

// Measures the disk usage of databases. An account that is full by it is frozen in its lane.
const measure: Task = async (_payload, _helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const names = await sizes.listMeasurable(pool)
  if (names.length === 0) return
  await sizes.recordSizes(pool, names, await databaseService(host).measure(names))
}

export default measure
