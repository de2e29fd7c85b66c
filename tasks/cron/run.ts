import { setTimeout as sleep } from 'node:timers/promises'
import {
  cronJob,
  cronService,
  findFor,
  notActive,
  recordRuns,
} from '../../src/model/cron-jobs/cron-jobs.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The time to wait for the end of a short run, so that the answer has its result.
const waitMs = 1_000
const pauseMs = 100

// Starts the job: its run may take hours, and ends without the operation. An operation that was
// interrupted does not start it a second time.
export default accountOperation('cron/run', {
  subject: cronJob,
  part: ['cron jobs'],
  async work({ context, started, record, account, about: { jobId }, apply, finish }) {
    if (account.desired !== 'active') throw notActive()
    const { id, last_run: before } = await findFor(context.pool, record, jobId)
    const warnings = await apply()
    const service = cronService(context.host)
    await context.observe('run cron job', () => service.start(account, id, started.id))
    const until = performance.now() + waitMs
    let answer = await findFor(context.pool, record, id)
    while (performance.now() < until) {
      await recordRuns(context.pool, service)
      answer = await findFor(context.pool, record, id)
      if (answer.last_run?.started_at !== before?.started_at) break
      await sleep(pauseMs)
    }
    return finish({ ...record, warnings }, { answer })
  },
})
