import { log } from '../../src/log.ts'
import * as acmeAccount from '../../src/model/acme-account.ts'
import * as certificates from '../../src/model/certificates.ts'
import { operation } from '../../src/queue/operation.ts'
import { toWords } from '../../src/queue/undo.ts'
import { unchanged } from '../../src/queue/operation-types.ts'

// Makes keys and requests for those of an account's websites whose names point here. A failure is
// left to a later try, so it never blocks the account's other operations.
export default operation('certificate/request', {
  async work({ record, account, context: { pool, host, observe } }) {
    for (const wanted of await certificates.startRequests(pool, account.id)) {
      try {
        await host.answerChallenges(await acmeAccount.getThumbprint(pool))
        const request = await host.requestCertificate(account, wanted, observe)
        await certificates.recordRequest(pool, wanted, request)
      } catch (error) {
        log.error('certificate not requested', error, { site: wanted.siteId })
        await certificates.postpone(pool, wanted, 'request', 'failed', toWords(error))
      }
    }
    return unchanged(record)
  },
  // Leftovers are overwritten by the next request.
  undo: async () => undefined,
})
