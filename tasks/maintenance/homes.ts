import * as siteRules from '../../src/model/sites/site-rules.ts'
import * as usage from '../../src/model/accounts/usage.ts'
import { isRestorePaused } from '../../src/model/server/restore-pause.ts'
import { jobs } from '../../src/queue/job-list.ts'
import type { Task } from '../../src/queue/task.ts'

// Removes expired PHP sessions from all homes, restores the web server's lost access to files, and
// reads which rules of .htaccess files are not applied.
const tendHomes: Task = async (payload, { abortSignal }, { pool, host }) => {
  if (await isRestorePaused(pool)) return
  const { accountId = null } = jobs['maintenance/homes'].payload.parse(payload)
  const listed = await siteRules.listAccounts(pool, accountId)
  const sites = new Map(listed.map(account => [account.id, account.sites]))
  const users = await usage.listMeasurable(pool, accountId)
  const tended = users.map(user => ({ ...user, sites: sites.get(user.id) ?? [] }))
  await host.tendHomes(tended, abortSignal)
  // Again, as their settings may have changed meanwhile.
  const accounts = await siteRules.listAccounts(pool, accountId)
  for await (const found of host.readRules(accounts, abortSignal)) {
    await siteRules.record(pool, found)
  }
}

export default tendHomes
