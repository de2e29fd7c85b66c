import * as siteRules from '../../src/model/sites/site-rules.ts'
import * as usage from '../../src/model/accounts/usage.ts'
import { isHeld } from '../../src/model/server/restore-pause.ts'
import { jobs } from '../../src/queue/job-list.ts'
import type { Task } from '../../src/queue/task.ts'

// Removes sessions of PHP that are over from all homes, lets the web server read what it has lost
// the access to, and reads what .htaccess files say that is not applied.
const tendHomes: Task = async (payload, { abortSignal }, { pool, host }) => {
  if (await isHeld(pool)) return
  const { accountId = null } = jobs['maintenance/homes'].payload.parse(payload)
  await host.tendHomes(await usage.listMeasurable(pool, accountId), abortSignal)
  const accounts = await siteRules.listAccounts(pool, accountId)
  for await (const found of host.readRules(accounts, abortSignal)) {
    await siteRules.record(pool, found)
  }
}

export default tendHomes
