import { isSnapshotDue, keepSnapshot } from '../../src/model/server/server-snapshot.ts'
import type { Task } from '../../src/queue/task.ts'

// Looks at the whole server, for the pages. Where a look takes long, some turns are left out.
const snapshot: Task = async (_payload, _helpers, { pool, host }) => {
  if (!(await isSnapshotDue(pool))) return
  const began = performance.now()
  const look = await host.lookAtServer()
  await keepSnapshot(pool, look, Math.round(performance.now() - began))
}

export default snapshot
