import { database, full, openElsewhere, unknown } from '../../src/model/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// A dump that was begun is not begun again: what it has done already it might do twice.
export default accountOperation('database/import', {
  noun: database,
  part: ['databases'],
  async work({ context, started, account, record, database: name, importId, leave }) {
    const found = account.databases?.databases.find(one => one.name === name)
    if (found === undefined || !importId) throw unknown('')
    if (started.starts > 1) throw new Error('The import was interrupted')
    // It was opened while this one waited.
    if (typeof found.openHash === 'string') throw openElsewhere(found.name)
    // It was full when its turn came.
    if (found.isFrozen === true) throw full(found.name)
    let refused: string[] = []
    await context.observe('import', async () => {
      refused = await context.host.importDatabase(account, found, importId)
    })
    return leave(record, { answer: { database: found.name, refused } })
  },
})
