import { PanelError } from '../../src/errors.ts'
import { database, unknown } from '../../src/model/databases/databases.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The hash for its internal user was written when the operation started. From then on the row keeps
// it open, whatever else is applied to the account meanwhile.
export default accountOperation('database/open', {
  subject: database,
  part: ['databases'],
  async work({ account, record, about: { database: name }, apply, finish }) {
    const found = account.databases?.databases.find(one => one.name === name)
    if (found === undefined) throw unknown('')
    if (typeof found.openHash !== 'string') {
      throw new PanelError('invalid', 'The session that has asked for it is over')
    }
    const warnings = await apply()
    return finish({ ...record, warnings }, { answer: { database: found.name } })
  },
})
