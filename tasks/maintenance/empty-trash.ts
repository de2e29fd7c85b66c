import type { Task } from '../../src/queue/task.ts'
import { deleteTrash } from '../../src/queue/trash.ts'

// Deletes the homes of accounts that were terminated long enough ago, and exports of databases.
const emptyTrash: Task = async (_payload, helpers, { pool, host }) => {
  await host.removeExpired()
  await deleteTrash(pool, host, { hours: host.trashHours }, helpers.abortSignal)
}

export default emptyTrash
