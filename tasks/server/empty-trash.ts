import { EmptyTrash } from '../../src/model/server/remedies.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'
import { deleteTrash } from '../../src/queue/trash.ts'

// Deletes the kept homes of the accounts that the administrator was shown, to free disk space. They
// cannot be restored.
export default operation('server/empty-trash', {
  subject: server,
  undo: 'nothing',
  async work({ started, context: { pool, host, observe } }) {
    const { until } = EmptyTrash.parse(started.seen)
    let deleted = 0
    await observe('empty trash', async () => {
      deleted = await deleteTrash(pool, host, { until })
    })
    return { status: 200, answer: { deleted }, change: null, events: [] }
  },
})
