import { operation, reapply } from '../../src/queue/operation.ts'

// The new hash was written down when the operation started. A suspended account stays locked.
export default operation('account/set-password', reapply)
