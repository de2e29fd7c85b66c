import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { listenerOn } from '../../src/host/services/listening.ts'

t.test('the program that listens on a port is named, as long as it does', async t => {
  for (const host of ['127.0.0.1', '::']) {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    t.equal(listenerOn(port), 'node', host)
    server.close()
    await once(server, 'close')
    t.equal(listenerOn(port), undefined)
  }
})
