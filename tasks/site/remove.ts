import { unknown } from '../../src/model/sites/site-changes.ts'
import { site } from '../../src/model/sites/sites.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// From the start on the website is being deleted: it is not served any more, and its files are
// moved away.
export default accountOperation('site/remove', {
  subject: site,
  part: ['home', 'websites', 'certificates', 'mail'],
  async work({ record, account, about: { siteId, domain }, apply, finish }) {
    const removed = account.deleting.find(({ id }) => id === siteId)
    // Another request has removed it meanwhile.
    if (removed === undefined) throw unknown(domain ?? '')
    const warnings = await apply()
    const { username } = record
    const events = [announce('site.deleted', { username, domain: removed.domain })]
    return finish({ ...record, warnings }, { events })
  },
})
