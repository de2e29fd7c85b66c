import { cronJob, findFor } from '../../src/model/cron-jobs/cron-jobs.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The desired values were recorded when the operation started. A run in progress is not
// interrupted.
export default accountOperation('cron/set', {
  subject: cronJob,
  part: ['cron jobs'],
  async work({ context, record, about: { jobId }, apply, finish }) {
    const answer = await findFor(context.pool, record, jobId)
    return finish({ ...record, warnings: await apply() }, { answer })
  },
})
