import { jobs } from '../../src/queue/job-list.ts'
import { rebuild } from '../../src/queue/bulk-apply.ts'
import type { Task } from '../../src/queue/task.ts'

// Runs the operations of a rebuild whose lanes were free, all at once.
const rebuildMany: Task = async (payload, { job }, context) => {
  jobs['maintenance/rebuild'].payload.parse(payload)
  await rebuild(context, job.id)
}

export default rebuildMany
