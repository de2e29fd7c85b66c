import { PanelError } from '../../src/errors.ts'
import { accountOperation, unchanged } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

export default accountOperation('account/unsuspend', {
  async work(work) {
    const { record, started, foundSuspendedBy, apply, leave } = work
    // Judged again: an administrator's suspend may have been parked in front of this.
    if (started.callerRole === 'reseller' && foundSuspendedBy === 'administrator') {
      throw new PanelError('forbidden', 'An administrator has suspended this account')
    }
    if (record.isApplied && record.state === 'active') return unchanged(work)
    const warnings = await apply()
    const { username } = record
    const isNew = record.state !== 'active'
    return leave(
      { ...record, state: 'active', warnings, suspendReason: null, suspendedAt: null },
      { events: isNew ? [announce('account.unsuspended', { username })] : [] },
    )
  },
})
