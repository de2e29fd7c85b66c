import { QueuedMessages } from '../../src/model/server/queue-changes.ts'
import { askForSnapshot } from '../../src/model/server/server-snapshot.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'

// Has Postfix try waiting messages again. There is nothing to undo.
export default operation('server/retry-mail', {
  subject: server,
  undo: 'nothing',
  async work({ started, context: { pool, host, observe } }) {
    const { messages } = QueuedMessages.parse(started.seen)
    let retried: string[] = []
    await observe('retry mail', async () => void (retried = await host.retryQueued(messages)))
    await askForSnapshot(pool)
    return { status: 200, answer: { retried }, change: null, events: [] }
  },
})
