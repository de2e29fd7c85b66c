import * as accounts from '../../src/model/accounts/accounts.ts'
import type { Task } from '../../src/queue/task.ts'

// Deletes the homes of accounts that were terminated long enough ago; homes without an account are
// left to the administrator. A home that cannot be deleted, because something is mounted in it or a
// file is immutable, must not stop the others from being deleted.
const emptyTrash: Task = async (_payload, helpers, { pool, host }) => {
  const uids = host.listTrash()
  const failed: unknown[] = []
  for (const uid of await accounts.listTerminated(pool, uids, host.trashHours)) {
    if (helpers.abortSignal.aborted) return
    await host.deleteTrash(uid).catch(error => failed.push(error))
  }
  if (failed.length > 0) throw failed[0]
}

export default emptyTrash
