import { databaseService } from '../../src/model/databases/database-service.ts'
import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// The request has reserved the names; from the start on database and user are the account's.
export default accountOperation('database/create', {
  subject: database,
  part: ['databases'],
  async work({ context, record, about: { database: name }, apply, finish }) {
    if (typeof name !== 'string') throw unknown('')
    const warnings = await apply()
    const { username } = record
    return finish(
      { ...record, warnings },
      {
        answer: {
          ...{ database: name, user: name },
          ...{ host: 'localhost', socket: databaseService(context.host).socket() },
        },
        events: [announce('database.created', { username, database: name })],
      },
    )
  },
})
