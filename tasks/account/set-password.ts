import { accountOperation, reapply } from '../../src/queue/account-operation.ts'

// The new hash was written when the operation started. A suspended account stays locked.
export default accountOperation('account/set-password', { work: reapply })
