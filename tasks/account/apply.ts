import { operation } from '../../src/queue/operation.ts'
import { reapply } from '../../src/queue/work.ts'

// No request asked for it: the account's package has changed, or the machine is to agree again.
export default operation('account/apply', reapply)
