import { announce, operation } from '../../src/queue/operation.ts'

export default operation('account/unsuspend', {
  async work({ record, apply }) {
    if (record.isApplied && record.state === 'active') return { status: 200, record, events: [] }
    const warnings = await apply()
    const { username } = record
    const isNew = record.state !== 'active'
    return {
      status: 200,
      record: { ...record, state: 'active', warnings, suspendReason: null, suspendedAt: null },
      events: isNew ? [announce('account.unsuspended', { username })] : [],
    }
  },
  undo: ({ apply }) => apply(),
  mayEndHalfUndone: true,
})
