import { database } from '../../src/model/databases/databases.ts'
import { accountOperation, reapply } from '../../src/queue/account-operation.ts'

// Of what is open in Adminer no row is left: the internal users are locked, and then ended.
export default accountOperation('database/close', {
  subject: database,
  part: ['databases'],
  work: reapply,
})
