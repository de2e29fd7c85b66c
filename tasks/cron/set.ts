import { cronJob, findFor } from '../../src/model/cron-jobs/cron-jobs.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// What is wanted was recorded when the operation started. A run that goes on is left alone.
export default accountOperation('cron/set', {
  subject: cronJob,
  part: ['cron jobs'],
  async work({ context, record, about: { jobId }, apply, leave }) {
    const answer = await findFor(context.pool, record, jobId)
    return leave({ ...record, warnings: await apply() }, { answer })
  },
})
