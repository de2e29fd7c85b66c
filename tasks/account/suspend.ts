import { announce, operation } from '../../src/queue/operation.ts'

// What is wanted was written down when the operation started; `state` changes only with the
// answer, so a second run still knows that there is something to report.
export default operation('account/suspend', {
  async work({ record, apply }, now) {
    if (record.isApplied && record.state === 'suspended') return { status: 200, record, events: [] }
    const warnings = await apply()
    const { username, suspendReason: reason } = record
    const isNew = record.state !== 'suspended'
    return {
      status: 200,
      record: {
        ...record,
        state: 'suspended',
        warnings,
        suspendedAt: isNew ? now.toISOString() : record.suspendedAt,
      },
      events: isNew ? [announce('account.suspended', { username, reason })] : [],
    }
  },
  undo: ({ apply }) => apply(),
  mayEndHalfUndone: true,
})
