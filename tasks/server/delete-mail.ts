import { QueuedMessages } from '../../src/model/server/queue-changes.ts'
import { askForSnapshot } from '../../src/model/server/server-snapshot.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'

// Deletes waiting messages. They cannot be brought back.
export default operation('server/delete-mail', {
  subject: server,
  undo: 'nothing',
  async work({ started, context: { pool, host, observe } }) {
    const { messages } = QueuedMessages.parse(started.seen)
    let deleted: string[] = []
    await observe('delete mail', async () => void (deleted = await host.deleteQueued(messages)))
    await askForSnapshot(pool)
    return { status: 200, answer: { deleted }, change: null, events: [] }
  },
})
