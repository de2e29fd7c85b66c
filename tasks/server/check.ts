import { operation } from '../../src/queue/operation.ts'

// Changes nothing: that it ends well shows that requests, queue, root and answers do.
export default operation('server/check', {
  subject: null,
  undo: 'nothing',
  async work({ context: { host, observe } }) {
    await observe('try out', () => host.tryOut())
    return { status: 200, answer: {}, change: null, events: [] }
  },
})
