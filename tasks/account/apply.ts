import * as rebuilds from '../../src/model/rebuilds.ts'
import { accountOperation, reapply, type AccountWork } from '../../src/queue/account-operation.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'

// No request asked for it: the account's package has changed, or the machine is to agree again.
export default accountOperation('account/apply', {
  async work(work) {
    await noteDrift(work)
    return reapply(work)
  },
})

// Whoever asked for a rebuild is shown what it was good for. Only the database is asked again: what
// fails on the machine fails the operation, which says why, and would fail the next worker too.
async function noteDrift({ account, started, context }: AccountWork): Promise<void> {
  const { pool, host } = context
  const recorded = <T>(write: () => Promise<T>) => retryOrExit(context, started.id, write)
  if (!(await recorded(() => rebuilds.isToBeNoted(pool, started.id)))) return
  await host.ensureShared()
  const differed = await host.drift(account)
  if (differed.length > 0) await recorded(() => rebuilds.note(pool, started, differed))
}
