import { site, unknown } from '../../src/model/sites/sites.ts'
import { reapply, accountOperation } from '../../src/queue/account-operation.ts'

// The desired value was written when the operation started.
export default accountOperation('site/set-https', {
  subject: site,
  part: ['websites'],
  async work(work) {
    const { siteId, domain } = work.about
    // It may have been removed meanwhile.
    if (!work.account.sites.some(({ id }) => id === siteId)) throw unknown(domain ?? '')
    return reapply(work)
  },
})
