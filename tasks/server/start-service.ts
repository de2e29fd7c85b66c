import { log } from '../../src/log.ts'
import { StartService } from '../../src/model/server/remedies.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'

// Starts a service of the machine, of the fixed list only. There is nothing to undo.
export default operation('server/start-service', {
  subject: server,
  undo: 'nothing',
  async work({ started, context: { host, observe, watch } }) {
    const { service } = StartService.parse(started.seen)
    await observe(`start ${service}`, () => host.startService(service))
    await watch().catch(error => log.error('a check of services failed', error))
    return { status: 200, answer: { service }, change: null, events: [] }
  },
})
