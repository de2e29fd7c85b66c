import type { ResourceName } from '../../src/model/server/host.ts'
import * as rebuilds from '../../src/model/jobs/rebuilds.ts'
import {
  accountOperation,
  reapply,
  unchanged,
  type AccountWork,
} from '../../src/queue/account-operation.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'

// No request asked for it: the account's package has changed, or the machine is to agree again.
export default accountOperation('account/apply', {
  async work(work) {
    const part = await noteDrift(work)
    return part?.length === 0 && work.wasApplied ? unchanged(work) : reapply(work, part)
  },
})

// A named account is repaired as a whole; of many, one after the other is tended every half hour.
const maxReadmitted = 20

/**
 * In a rebuild, records what differs before it is repaired. Returns the only parts that have to be;
 * undefined where it is all of them.
 *
 * Only the database is asked again: what fails on the machine fails the operation, which says why,
 * and would fail the next worker too.
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
