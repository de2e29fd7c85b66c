import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The new hash was written when the operation started. Connections that used the old password are
// ended.
export default accountOperation('database/set-password', {
  subject: database,
  part: ['databases'],
  async work({ record, about: { user }, apply, finish }) {
    if (typeof user !== 'string') throw unknown('')
    const warnings = await apply()
    return finish({ ...record, warnings }, { answer: { user } })
  },
})
