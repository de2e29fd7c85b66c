import { operation } from '../../src/queue/operation.ts'
import { reapply } from '../../src/queue/operation-types.ts'

// The new hash was written down when the operation started. A suspended account stays locked.
export default operation('account/set-password', reapply)
