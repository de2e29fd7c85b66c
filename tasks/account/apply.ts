import type { ResourceName } from '../../src/model/server/host.ts'
import * as rebuilds from '../../src/model/jobs/rebuilds.ts'
import {
  accountOperation,
  reapply,
  unchanged,
  type AccountWork,
} from '../../src/queue/account-operation.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'

// An internal operation: the account's package has changed, or the account is rebuilt.
export default accountOperation('account/apply', {
  async work(work) {
    const part = await noteDrift(work)
    return part?.length === 0 && work.wasApplied ? unchanged(work) : reapply(work, part)
  },
})

// An account rebuilt by name is repaired completely; many are left to the half-hourly maintenance.
const maxReadmitted = 20

/**
 * In a rebuild, records the differences before they are repaired. Returns the only parts to repair;
 * undefined for all of them.
 *
 * Only database errors are retried: a failure on the machine fails the operation, which reports it,
 * and would recur in the next worker.
 */
async function noteDrift({
  account,
  started,
  context,
}: AccountWork): Promise<ResourceName[] | undefined> {
  const { pool, host, observe } = context
  const recorded = <T>(write: () => Promise<T>) => retryOrExit(context, started.id, write)
  const unnoted = await recorded(() => rebuilds.countUnnoted(pool, started.id))
  if (unnoted === null) return undefined
  await host.ensureShared()
  const { differed, part } = await host.compare(account)
  if (unnoted <= maxReadmitted) {
    await observe('web access', async () => {
      const count = await host.readmit(account).catch(() => 0)
      if (count > 0) differed.push(`the web server could not read ${count} files or folders`)
    })
  }
  if (differed.length > 0) await recorded(() => rebuilds.note(pool, started, differed))
  return part
}
