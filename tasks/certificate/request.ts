import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/certificates/acme-account.ts'
import * as certificates from '../../src/model/certificates/certificates.ts'
import { certificateOperation } from '../../src/queue/certificate-operation.ts'
import { toWords } from '../../src/queue/undo.ts'

// Generates keys and requests for those of an account's websites whose names point here. A failure
// does not delay the account's other operations: the website is retried later.
export default certificateOperation('certificate/request', async (account, { context }) => {
  const { pool, host, observe } = context
  for (const desired of await certificates.startRequests(pool, account.id)) {
    try {
      const thumbprint = await acmeAccount.getThumbprint(pool)
      await observe('answer challenges', () => host.answerChallenges(thumbprint))
      const request = await host.requestCertificate(account, desired, observe)
      await certificates.recordRequest(pool, desired, request)
    } catch (error) {
      log.error('certificate not requested', error, { site: desired.siteId })
      await certificates.postpone(pool, desired, 'request', 'failed', toWords(error))
    }
  }
})
