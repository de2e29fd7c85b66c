import { accountOperation, suspendable, unchanged } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

export default accountOperation('account/unsuspend', {
  part: suspendable,
  async work(work) {
    const { record, apply, finish } = work
    if (record.isApplied && record.state === 'active') return unchanged(work)
    const warnings = await apply()
    const { username, reference } = record
    const isNew = record.state !== 'active'
    return finish(
      { ...record, state: 'active', warnings, suspendReason: null, suspendedAt: null },
      { events: isNew ? [announce('account.unsuspended', { username, reference })] : [] },
    )
  },
})
