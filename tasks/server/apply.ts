import { log } from '../../src/log.ts'
import { operation } from '../../src/queue/operation.ts'
import { removeOrphaned } from '../../src/queue/orphaned-websites.ts'

// Puts right what all accounts share, has visitors find no website that no account has, and notes
// which services do not run. Nothing of it can be made what it was before.
export default operation('server/apply', {
  subject: null,
  undo: 'nothing',
  async work({ context: { pool, host, observe, watch } }) {
    await observe('shared', () => host.ensureShared())
    await observe('orphans', () => removeOrphaned(pool, host))
    await watch().catch(error => log.error('a check of services failed', error))
    return { status: 200, answer: {}, change: null, events: [] }
  },
})
