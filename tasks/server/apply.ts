import { log } from '../../src/log.ts'
import { readMailRelay } from '../../src/model/server/mail-relay.ts'
import { readMailServer } from '../../src/model/server/mail-server.ts'
import { listTrustedProxies } from '../../src/model/server/trusted-proxies.ts'
import { readPhpVersion } from '../../src/model/server/php-versions.ts'
import { operation } from '../../src/queue/operation.ts'
import { removeOrphaned } from '../../src/queue/orphaned-websites.ts'

// Repairs what all accounts share, removes websites that belong to no account, and records which
// services are not running. There is nothing to undo.
export default operation('server/apply', {
  subject: null,
  undo: 'nothing',
  async work({ context: { pool, host, observe, watch } }) {
    await host.noteTrustedProxies(await listTrustedProxies(pool))
    host.notePhp(await readPhpVersion(pool))
    await observe('shared', () => host.ensureShared())
    await observe('orphans', () => removeOrphaned(pool, host))
    await observe('mail relay', async () => host.setMailRelay(await readMailRelay(pool))).catch(
      // Such as a password that was sealed with a lost key: doctor reports it.
      error => log.error('the mail relay is not applied', error),
    )
    await observe('mail server', async () => host.setMailServer(await readMailServer(pool))).catch(
      // Such as a daemon that was uninstalled: doctor reports it.
      error => log.error('the mail server is not applied', error),
    )
    await watch().catch(error => log.error('a check of services failed', error))
    return { status: 200, answer: {}, change: null, events: [] }
  },
})
