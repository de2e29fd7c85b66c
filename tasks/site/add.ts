import { unknown } from '../../src/model/sites/site-changes.ts'
import { site } from '../../src/model/sites/sites.ts'
import { accountOperation } from '../../src/queue/account-operation.ts'
import { announce } from '../../src/queue/operation-types.ts'

// The request has reserved the name; from the start on the website is one of the account's. Its
// certificate is ordered afterwards, automatically.
export default accountOperation('site/add', {
  subject: site,
  part: ['home', 'websites', 'certificates', 'mail'],
  async work({ record, account, about: { siteId, domain }, apply, finish }) {
    const added = account.sites.find(({ id }) => id === siteId)
    if (added === undefined) throw unknown(domain ?? '')
    const warnings = await apply()
    const { username } = record
    const events = [announce('site.created', { username, domain: added.domain })]
    return finish({ ...record, warnings }, { events })
  },
})
