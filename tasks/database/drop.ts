import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// From the start on the database cannot be used, nor can a user without another database log in; it
// is deleted last.
export default accountOperation('database/drop', {
  subject: database,
  part: ['databases'],
  async work({ record, about: { database: name }, apply, finish }) {
    // Another request has removed it meanwhile.
    if (typeof name !== 'string') throw unknown('')
    const warnings = await apply()
    const { username } = record
    return finish(
      { ...record, warnings },
      {
        answer: { database: name },
        events: [announce('database.deleted', { username, database: name })],
      },
    )
  },
})
