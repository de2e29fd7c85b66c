import { operation } from '../../src/queue/operation.ts'

// Fixes what the checks can fix safely, like `panel ctl doctor --fix`. There is nothing to undo.
export default operation('server/repair', {
  subject: null,
  undo: 'nothing',
  async work({ context: { host, observe } }) {
    let fixed: string[] = []
    await observe('repair', async () => {
      fixed = await host.repair()
    })
    return { status: 200, answer: { fixed }, change: null, events: [] }
  },
})
