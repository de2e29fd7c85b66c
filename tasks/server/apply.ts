import { operation } from '../../src/queue/operation.ts'
import { removeStrays } from '../../src/queue/strays.ts'

// Puts right what all accounts share, and has visitors find no website that no account has. Nothing
// of it can be made what it was before.
export default operation('server/apply', {
  noun: null,
  undo: 'nothing',
  async work({ context: { pool, host, observe } }) {
    await observe('shared', () => host.ensureShared())
    await observe('strays', () => removeStrays(pool, host))
    return { status: 200, answer: {}, change: null, events: [] }
  },
})
