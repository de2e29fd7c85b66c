import { findSite, unknown } from '../../src/model/sites/site-changes.ts'
import { site } from '../../src/model/sites/sites.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'

// The desired settings were written when the operation started.
export default accountOperation('site/set', {
  subject: site,
  part: ['websites'],
  async work({ context, record, account, about: { siteId, domain }, apply, finish }) {
    // It may have been removed meanwhile.
    const changed = account.sites.find(({ id }) => id === siteId)
    if (changed === undefined) throw unknown(domain ?? '')
    const warnings = await apply()
    const { id: _, ...answer } = await findSite(context.pool, record, changed.domain)
    return finish({ ...record, warnings }, { answer })
  },
})
