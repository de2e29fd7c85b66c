import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import * as own from '../../src/model/certificates/own-certificate.ts'
import type { Context, Task } from '../../src/queue/task.ts'
import { toWords } from '../../src/queue/undo.ts'

// Root's part of the certificate for the panel's own name: requests one if the served one is
// self-signed or due for renewal, and installs the issued one.
const ownCertificate: Task = async (_payload, _helpers, context) => {
  const { pool, host, serverName: name } = context
  if (!host.needsOwnCertificate(name)) return
  const thumbprint = await acmeAccount.findThumbprint(pool)
  if (thumbprint !== undefined) await host.answerChallenges(thumbprint)
  const asked = await own.find(pool)
  if (asked?.domain !== name) {
    await own.writeDesired(pool, name, await host.requestOwnCertificate(name))
  } else if (asked.chain !== null) {
    return install(context, asked, asked.chain)
  }
  await own.order(pool)
}

export default ownCertificate

async function install(
  { pool, host, serverName: name }: Context,
  asked: own.OwnCertificate,
  chain: string,
): Promise<void> {
  try {
    await host.installOwnCertificate(name, chain)
  } catch (error) {
    log.error('own certificate not installed', error, { name })
    await own.postpone(pool, asked, toWords(error))
    // A restored server has another key than its last request.
    return own.askAnew(pool, await host.requestOwnCertificate(name))
  }
  log.info('own certificate installed', { name })
  await own.rest(pool)
}
