import { database, unknown } from '../../src/model/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// No row changes. What is optimised again is the same.
export default accountOperation('database/optimize', {
  noun: database,
  part: ['databases'],
  async work({ context, account, record, database: name, leave }) {
    const isThere = account.databases?.databases.some(one => one.name === name)
    if (typeof name !== 'string' || !isThere) throw unknown('')
    await context.observe('optimize', () => context.host.optimizeDatabase(name))
    return leave(record, { answer: { database: name } })
  },
})
