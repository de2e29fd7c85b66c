import { accountOperation, suspendable, unchanged } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// The desired state was written when the operation started; `state` changes only with the answer,
// so a second run still knows that there is an event to emit.
export default accountOperation('account/suspend', {
  part: suspendable,
  async work(work) {
    const { record, apply, finish } = work
    if (record.isApplied && record.state === 'suspended') return unchanged(work)
    const warnings = await apply()
    const { username, reference, suspendReason: reason } = record
    const isNew = record.state !== 'suspended'
    const changedAt = new Date()
    const suspendedAt = isNew ? changedAt.toISOString() : record.suspendedAt
    return finish(
      { ...record, state: 'suspended', warnings, suspendedAt },
      {
        changedAt,
        events: isNew ? [announce('account.suspended', { username, reason, reference })] : [],
      },
    )
  },
})
