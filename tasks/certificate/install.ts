import { log } from '../../src/log.ts'
import * as certificates from '../../src/model/certificates/certificates.ts'
import { event } from '../../src/model/events/events.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'
import { certificateOperation } from '../../src/queue/certificate-operation.ts'
import type { Run } from '../../src/queue/operation-types.ts'
import { retryOrExit } from '../../src/queue/retry-or-exit.ts'
import { toWords } from '../../src/queue/undo.ts'

// Installs the certificates that were ordered for an account's websites. An invalid one does not
// replace the served certificate, and the website is retried later.
export default certificateOperation('certificate/install', async (account, run) => {
  const { pool } = run.context
  for (const ordered of await certificates.startInstalls(pool, account.id)) {
    try {
      await install(account, run, ordered)
    } catch (error) {
      log.error('certificate not installed', error, { site: ordered.siteId })
      await certificates.postpone(pool, ordered, 'install', 'failed', toWords(error))
    }
  }
})

async function install(
  account: HostAccount,
  { context, started }: Run,
  ordered: certificates.OrderedCertificate,
): Promise<void> {
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
  await retryOrExit(context, started.id, () =>
    certificates.recordInstalled(pool, ordered, started.id, issued, body),
  )
}
