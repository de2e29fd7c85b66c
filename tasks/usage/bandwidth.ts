import type { Pool } from '../../src/db.ts'
import { log } from '../../src/log.ts'
import * as bandwidth from '../../src/model/accounts/bandwidth.ts'
import type { Host } from '../../src/model/server/host.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import { listLogAccounts, type SiteLines } from '../../src/model/sites/site-logs.ts'
import type { Task } from '../../src/queue/task.ts'

// Continues to read the access log where the last run stopped. A rotated file is read before the
// next one, and as long as it exists: nginx writes to it until it opens the new one. A rotation has
// also made logs that other users may read.
const read: Task = async (_payload, helpers, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const files = host.accessLogs()
  const positions = await bandwidth.listPositions(pool)
  for (const file of files) {
    const { offset, stored } = bandwidth.startOf(file, files, positions)
    let position = stored
    if (position !== offset) {
      await bandwidth.record(pool, file, position, { end: offset, sums: [] })
      position = offset
    }
    for await (const batch of host.readLog(file, offset)) {
      await bandwidth.record(pool, file, position, batch)
      position = batch.end
      // After the position: a kill in between loses these lines, and none is written twice.
      await logSites(pool, host, batch.sites)
      if (batch.skipped > 0) log.info('lines of the access log skipped', { lines: batch.skipped })
      if (helpers.abortSignal.aborted) return
    }
  }
  await bandwidth.forgetPositions(pool, files)
  host.closeLogs()
}

async function logSites(pool: Pool, host: Host, sites: SiteLines[]): Promise<void> {
  if (sites.length === 0) return
  const ids = sites.map(({ site }) => site)
  await host.writeSiteLogs(sites, await listLogAccounts(pool, ids))
}

export default read
