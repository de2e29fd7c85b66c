import { openPassphrase, SealedPassphrase } from '../../src/model/server/server-backups.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'

// Writes a backup of the server, as `panel backup create` does. An interrupted one leaves nothing
// that counts, and is written again; a finished one stays.
export default operation('server/back-up', {
  subject: server,
  undo: 'nothing',
  async work({ started, context: { host, observe } }) {
    const passphrase = openPassphrase(SealedPassphrase.parse(started.seen), host.serverKey())
    let path = ''
    await observe('back up', async () => {
      path = await host.backUp(passphrase)
    })
    return { status: 200, answer: { path }, change: null, events: [] }
  },
})
