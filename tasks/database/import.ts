import { PanelError } from '../../src/errors.ts'
import { databaseService } from '../../src/model/databases/database-service.ts'
import { database, isFrozen, unknown } from '../../src/model/databases/databases.ts'
import { full, homeFile, openElsewhere } from '../../src/model/databases/transfers.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { unlessUrgent } from '../../src/queue/unless-urgent.ts'

// A dump that was begun is never begun again: its statements might take effect twice.
export default accountOperation('database/import', {
  subject: database,
  part: ['databases'],
  async work(work) {
    const { context, started, account, record, finish } = work
    const { database: name, importId, importFile } = work.about
    const found = account.databases?.databases.find(one => one.name === name)
    const file = homeFile.safeParse(importFile).data
    const source = importId !== null ? { id: importId } : file !== undefined && { file }
    if (found === undefined || source === false) throw unknown('')
    if (started.starts > 1) throw new PanelError('invalid', interrupted)
    // It was opened while this import waited.
    if (typeof found.openHash === 'string') throw openElsewhere(found.name)
    // It was full when its turn came.
    if (found.isFrozen === true) throw full(found.name)
    let refused: string[] = []
    await unlessUrgent(
      work,
      signal =>
        context.observe('import', async () => {
          const dump = { database: found, source, signal }
          refused = await databaseService(context.host).importDump(account, dump)
        }),
      async () => ((await isFrozen(context.pool, found.id)) ? isFull : undefined),
    )
    return finish(record, { answer: { database: found.name, refused } })
  },
})

const isFull = "the account's disk is full"
const interrupted = 'The import was interrupted. The first part of the file may have been imported'
