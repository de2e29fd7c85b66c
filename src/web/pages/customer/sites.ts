import { recordsOf } from '../../dns-records.ts'
import { customers, page } from '../../page.ts'
import { ownSite, ownSites } from './own.ts'

/** /account/sites */
export const ownSiteList = page({
  path: '/account/sites',
  roles: customers,
  navigation: { label: 'Websites', icon: 'globe' },
  load: ownSites,
  template: 'pages/customer/sites',
})

/** /account/sites/DOMAIN: its certificate, the records of its name, and where its files are. */
export const ownSitePage = page({
  path: '/account/sites/:domain',
  roles: customers,
  async load(asked) {
    const own = await ownSite(asked, asked.params.domain)
    const { domain, state, is_issuing, ssl, names, due_at, settings } = own.site
    const hasWww = settings.www !== 'off'
    const isDue = due_at !== null && due_at <= new Date()
    const isWhole = ssl === 'issued' && names?.length === (hasWww ? 2 : 1)
    return {
      ...own,
      records: recordsOf(domain, own.addresses, hasWww),
      canRecheck: is_issuing && state === 'present' && ssl !== 'pending' && !isDue && !isWhole,
    }
  },
  template: 'pages/customer/site',
})
