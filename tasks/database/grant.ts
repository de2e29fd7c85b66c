import { database as subject, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The user's rights were written when the operation started; a new user begins with them.
export default accountOperation('database/grant', {
  subject,
  part: ['databases'],
  async work({ record, about: { database, user, rights }, apply, finish }) {
    if (typeof database !== 'string' || typeof user !== 'string') throw unknown('')
    const warnings = await apply()
    return finish({ ...record, warnings }, { answer: { database, user, rights } })
  },
})
