import { operation } from '../../src/queue/operation.ts'

// Changes nothing: its success shows that requests, queue, root and answers work.
export default operation('server/check', {
  subject: null,
  undo: 'nothing',
  async work({ context: { host, observe } }) {
    await observe('try out', () => host.tryOut())
    return { status: 200, answer: {}, change: null, events: [] }
  },
})
