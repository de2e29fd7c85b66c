import { log } from '../../src/log.ts'
import * as certificates from '../../src/model/certificates.ts'
import { event } from '../../src/model/events.ts'
import { operation } from '../../src/queue/operation.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import { toWords } from '../../src/queue/undo.ts'
import { unchanged, type Work } from '../../src/queue/operation-types.ts'

// Installs an account's ordered certificates. If one fails, the website keeps what it served
// before, and is tried again later.
export default operation('certificate/install', {
  async work(work) {
    const { pool } = work.context
    for (const ordered of await certificates.startInstalls(pool, work.account.id)) {
      try {
        await install(work, ordered)
      } catch (error) {
        log.error('certificate not installed', error, { site: ordered.siteId })
        await certificates.postpone(pool, ordered, 'install', 'failed', toWords(error))
      }
    }
    return unchanged(work.record)
  },
  // The account's next operation repairs leftovers; what is served is complete at any moment.
  undo: async () => undefined,
})

async function install(work: Work, ordered: certificates.OrderedCertificate): Promise<void> {
  const { account, operationId, context } = work
  const { pool, host, observe, serverName: server } = context
  const issued = await host.installCertificate(account, ordered, observe)
  const { username, sites } = account
  const domain = sites.find(({ id }) => id === ordered.siteId)?.domain ?? ''
  const { issuer, expiresAt } = issued
  const { body } = event(
    'ssl.issued',
    { username, domain, expires_at: expiresAt.toISOString(), issuer },
    { server, time: new Date() },
  )
  await retryOrExit(context, operationId, () =>
    certificates.recordInstalled(pool, ordered, operationId, issued, body),
  )
}
