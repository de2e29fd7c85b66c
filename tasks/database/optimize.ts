import { databaseService } from '../../src/model/databases/database-service.ts'
import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { unlessUrgent } from '../../src/queue/unless-urgent.ts'

// No row changes. Optimising again changes nothing more.
export default accountOperation('database/optimize', {
  subject: database,
  part: ['databases'],
  async work(work) {
    const { context, account, record, finish } = work
    const { database: name } = work.about
    const isThere = account.databases?.databases.some(one => one.name === name)
    if (typeof name !== 'string' || !isThere) throw unknown('')
    await unlessUrgent(work, signal =>
      context.observe('optimize', () => databaseService(context.host).optimize(name, signal)),
    )
    return finish(record, { answer: { database: name } })
  },
})
