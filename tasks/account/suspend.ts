import { operation } from '../../src/queue/operation.ts'
import { announce, unchanged } from '../../src/queue/operation-types.ts'

// What is wanted was written down when the operation started; `state` changes only with the
// answer, so a second run still knows that there is something to report.
export default operation('account/suspend', {
  async work({ record, apply }) {
    if (record.isApplied && record.state === 'suspended') return unchanged(record)
    const warnings = await apply()
    const { username, suspendReason: reason } = record
    const isNew = record.state !== 'suspended'
    const changedAt = new Date()
    return {
      status: 200,
      record: {
        ...record,
        state: 'suspended',
        warnings,
        suspendedAt: isNew ? changedAt.toISOString() : record.suspendedAt,
      },
      events: isNew ? [announce('account.suspended', { username, reason })] : [],
      changedAt,
    }
  },
  undo: ({ restore }) => restore(),
  mayEndHalfUndone: true,
})
