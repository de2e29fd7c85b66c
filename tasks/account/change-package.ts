import { accountOperation, reapply } from '../../src/queue/account-operation.ts'

// The package is one of the account's columns: it was written when the operation started, and the
// limits change while the websites run. A suspended account stays suspended.
export default accountOperation('account/change-package', { work: reapply })
