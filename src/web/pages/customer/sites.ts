import { recordsOf } from '../../dns-records.ts'
import { customers, page } from '../../page.ts'
import { ownSite, ownSites } from './own.ts'

/** /account/sites */
export const ownSiteList = page({
  path: '/account/sites',
  roles: customers,
  load: ownSites,
  template: 'pages/customer/sites',
})

/** /account/sites/DOMAIN: its certificate, the records of its name, and where its files are. */
export const ownSitePage = page({
  path: '/account/sites/:domain',
  roles: customers,
  async load(asked) {
    const own = await ownSite(asked, asked.params.domain)
    return { ...own, records: recordsOf(own.site.domain, own.addresses) }
  },
  template: 'pages/customer/site',
})
