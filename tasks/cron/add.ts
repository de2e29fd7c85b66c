import { cronJob, findFor } from '../../src/model/cron-jobs/cron-jobs.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The request has reserved the row, with a valid schedule and command.
export default accountOperation('cron/add', {
  subject: cronJob,
  part: ['cron jobs'],
  async work({ context, record, about: { jobId }, apply, finish }) {
    const answer = await findFor(context.pool, record, jobId)
    const warnings = await apply()
    const location = `/api/v1/accounts/${record.username}/cron-jobs/${answer.id}`
    return finish({ ...record, warnings }, { status: 201, location, answer })
  },
})
