import { isSnapshotDue, keepSnapshot } from '../../src/model/server/server-snapshot.ts'
import type { Task } from '../../src/queue/task.ts'

// Takes a snapshot of the whole server, for the pages. If it takes long, some turns are skipped.
const snapshot: Task = async (_payload, _helpers, { pool, host }) => {
  if (!(await isSnapshotDue(pool))) return
  const began = performance.now()
  const content = await host.takeServerSnapshot()
  await keepSnapshot(pool, content, Math.round(performance.now() - began))
}

export default snapshot
