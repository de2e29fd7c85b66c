import { operation } from '../../src/queue/operation.ts'
import { deleteTrash } from '../../src/queue/trash.ts'

// Deletes the kept homes of all terminated accounts, to free disk space. They cannot be restored.
export default operation('server/empty-trash', {
  subject: null,
  undo: 'nothing',
  async work({ context: { pool, host, observe } }) {
    let deleted = 0
    await observe('empty trash', async () => {
      deleted = await deleteTrash(pool, host, { hours: 0 })
    })
    return { status: 200, answer: { deleted }, change: null, events: [] }
  },
})
