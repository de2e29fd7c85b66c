import * as accounts from '../../src/model/accounts.ts'
import type { Task } from '../../src/queue/task.ts'

// Deletes the homes of accounts that were terminated long enough ago. What nobody knows the account
// of is left to the administrator.
const emptyTrash: Task = async (_payload, helpers, { pool, host }) => {
  const uids = host.listTrash()
  for (const uid of await accounts.listTerminated(pool, uids, host.trashHours)) {
    if (helpers.abortSignal.aborted) return
    await host.deleteTrash(uid)
  }
}

export default emptyTrash
