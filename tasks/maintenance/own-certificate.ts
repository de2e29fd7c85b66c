import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import * as own from '../../src/model/certificates/own-certificate.ts'
import { readMailServer } from '../../src/model/server/mail-server.ts'
import type { Context, Task } from '../../src/queue/task.ts'
import { toWords } from '../../src/queue/undo.ts'

type Needed = { purpose: own.OwnPurpose; name: string }

// Root's part of the certificates for the panel's own name and its mail server: requests one if the
// served one is self-signed or due for renewal, and installs the issued one.
const ownCertificate: Task = async (_payload, _helpers, context) => {
  await keep(context, { purpose: 'panel', name: context.serverName })
  const mail = await readMailServer(context.pool)
  if (mail !== null) await keep(context, { purpose: 'mail', name: mail.host })
}

export default ownCertificate

async function keep(context: Context, needed: Needed): Promise<void> {
  const { pool, host } = context
  const { purpose, name } = needed
  if (!host.needsOwnCertificate(purpose, name)) return
  const thumbprint = await acmeAccount.findThumbprint(pool)
  if (thumbprint !== undefined) await host.answerChallenges(thumbprint)
  const asked = await own.find(pool, purpose)
  if (asked?.domain !== name) {
    const request = await host.requestOwnCertificate(purpose, name)
    await own.writeDesired(pool, { purpose, domain: name, request })
  } else if (asked.chain !== null) {
    return install(context, needed, asked, asked.chain)
  }
  await own.order(pool, purpose)
}

async function install(
  { pool, host }: Context,
  { purpose, name }: Needed,
  asked: own.OwnCertificate,
  chain: string,
): Promise<void> {
  try {
    await host.installOwnCertificate(purpose, name, chain)
  } catch (error) {
    log.error('own certificate not installed', error, { name })
    await own.postpone(pool, asked, toWords(error))
    // A restored server has another key than its last request.
    return own.askAnew(pool, purpose, await host.requestOwnCertificate(purpose, name))
  }
  log.info('own certificate installed', { name })
  await own.rest(pool, purpose)
}
