import { listLogAccounts } from '../../src/model/sites/site-logs.ts'
import { findReading, recordReading } from '../../src/model/sites/site-readings.ts'
import { jobs } from '../../src/queue/job-list.ts'
import type { Task } from '../../src/queue/task.ts'

// Reads the last lines of a website's logs for a page, whose process cannot read files of homes.
const readLog: Task = async (payload, _helpers, { pool, host }) => {
  const { siteId } = jobs['site/read-log'].payload.parse(payload)
  if ((await findReading(pool, siteId, 'log')) === undefined) return
  const [account] = await listLogAccounts(pool, [siteId])
  const domain = account?.sites.find(({ id }) => id === siteId)?.domain
  if (account === undefined || domain === undefined) return
  await recordReading(pool, siteId, 'log', host.readSiteLog(account, domain))
}

export default readLog
