import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/acme-account.ts'
import * as certificates from '../../src/model/certificates.ts'
import { certificateOperation } from '../../src/queue/certificate-operation.ts'
import { toWords } from '../../src/queue/undo.ts'

// Makes keys and requests for those of an account's websites whose names point here. No failure
// holds up the account's other operations: the website is tried again later.
export default certificateOperation('certificate/request', async (account, { context }) => {
  const { pool, host, observe } = context
  for (const wanted of await certificates.startRequests(pool, account.id)) {
    try {
      const thumbprint = await acmeAccount.getThumbprint(pool)
      await observe('answer challenges', () => host.answerChallenges(thumbprint))
      const request = await host.requestCertificate(account, wanted, observe)
      await certificates.recordRequest(pool, wanted, request)
    } catch (error) {
      log.error('certificate not requested', error, { site: wanted.siteId })
      await certificates.postpone(pool, wanted, 'request', 'failed', toWords(error))
    }
  }
})
