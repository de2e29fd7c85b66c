import { PanelError } from '../../src/errors.ts'
import { listLogAccounts } from '../../src/model/sites/site-logs.ts'
import { findReading, recordReading } from '../../src/model/sites/site-readings.ts'
import { jobs } from '../../src/queue/job-list.ts'
import type { Task } from '../../src/queue/task.ts'

// Computes statistics of a website for a page, whose process cannot read files of homes.
const readStatistics: Task = async (payload, helpers, { pool, host }) => {
  const { siteId } = jobs['site/read-statistics'].payload.parse(payload)
  if ((await findReading(pool, siteId, 'statistics')) === undefined) return
  const [account] = await listLogAccounts(pool, [siteId])
  const domain = account?.sites.find(({ id }) => id === siteId)?.domain
  if (account === undefined || domain === undefined) return
  const content = await host
    .readSiteStatistics(account, domain, helpers.abortSignal)
    .catch((error: unknown) => {
      if (error instanceof PanelError) return { problem: error.message }
      throw error
    })
  await recordReading(pool, siteId, 'statistics', content)
}

export default readStatistics
