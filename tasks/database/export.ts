import { databaseService } from '../../src/model/databases/database-service.ts'
import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { unlessUrgent } from '../../src/queue/unless-urgent.ts'

// No row changes. A repeat replaces the file of an interrupted export.
export default accountOperation('database/export', {
  subject: database,
  part: ['databases'],
  async work(work) {
    const { context, account, record, about, finish } = work
    const found = account.databases?.databases.find(({ name }) => name === about.database)
    if (found === undefined) throw unknown('')
    let bytes = 0
    await unlessUrgent(work, signal =>
      context.observe('export', async () => {
        const written = await databaseService(context.host).exportDump(account, {
          database: found,
          signal,
        })
        bytes = written.bytes
      }),
    )
    return finish(record, { answer: { database: found.name, id: found.id, bytes } })
  },
})
