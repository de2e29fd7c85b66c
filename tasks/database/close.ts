import { database } from '../../src/model/databases/databases.ts'
import { accountOperation, reapply } from '../../src/queue/account-operation.ts'

// The rows of the Adminer session are already deleted: the internal users are locked, then
// disconnected.
export default accountOperation('database/close', {
  subject: database,
  part: ['databases'],
  work: reapply,
})
