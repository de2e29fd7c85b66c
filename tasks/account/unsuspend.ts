import { PanelError } from '../../src/errors.ts'
import { operation } from '../../src/queue/operation.ts'
import { announce, unchanged } from '../../src/queue/operation-types.ts'

export default operation('account/unsuspend', {
  async work({ record, asked, apply }) {
    // Judged again: an administrator's suspend may have been parked in front of this.
    if (asked.ownerRole === 'reseller' && asked.foundSuspendedBy === 'administrator') {
      throw new PanelError('forbidden', 'An administrator has suspended this account')
    }
    if (record.isApplied && record.state === 'active') return unchanged(record)
    const warnings = await apply()
    const { username } = record
    const isNew = record.state !== 'active'
    return {
      status: 200,
      record: { ...record, state: 'active', warnings, suspendReason: null, suspendedAt: null },
      events: isNew ? [announce('account.unsuspended', { username })] : [],
    }
  },
  undo: ({ restore }) => restore(),
  mayEndHalfUndone: true,
})
