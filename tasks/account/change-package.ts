import { operation } from '../../src/queue/operation.ts'
import { reapply } from '../../src/queue/operation-types.ts'

// The package is one of the account's columns: it was written down when the operation started, and
// the limits follow it while the websites run. A suspended account stays suspended.
export default operation('account/change-package', reapply)
