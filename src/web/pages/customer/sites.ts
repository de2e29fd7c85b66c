import { servedNames } from '../../../model/sites/name-redirects.ts'
import * as sites from '../../../model/sites/sites.ts'
import { recordsOf } from '../../dns-records.ts'
import { form } from '../../form.ts'
import { customers, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { ownSite, ownSites, pathOfSite } from './own.ts'

/** /account/sites */
export const ownSiteList = page({
  path: '/account/sites',
  roles: customers,
  navigation: { label: 'customer.websites', icon: 'globe' },
  load: ownSites,
  template: 'pages/customer/sites',
})

/** /account/sites/DOMAIN: its certificate, the records of its name, and where its files are. */
export const ownSitePage = page({
  path: '/account/sites/:domain',
  roles: customers,
  async load(asked) {
    const own = await ownSite(asked, asked.params.domain)
    const { domain, aliases, state, is_issuing, ssl, names, due_at, settings } = own.site
    const hasWww = settings.www !== 'off'
    const isDue = due_at !== null && due_at <= new Date()
    const served = servedNames({ domain, aliases, www: settings.www })
    const isWhole = ssl === 'issued' && served.every(name => names?.includes(name))
    return {
      ...own,
      records: [domain, ...aliases].flatMap(name => recordsOf(name, own.addresses, hasWww)),
      canRecheck: is_issuing && state === 'present' && ssl !== 'pending' && !isDue && !isWhole,
    }
  },
  template: 'pages/customer/site',
})

/** Checks the domain's records again, which were perhaps set a moment ago. */
export const recheck = form({
  path: '/account/sites/:domain/recheck',
  roles: customers,
  title: ({ domain }) => t('customer.checkDomainAgain', { domain }),
  parent: ({ domain }) => pathOfSite(domain),
  fields: {},
  async load(asked) {
    await ownSite(asked, asked.params.domain)
    return {
      words: [t('customer.checksWhereDomainPoints')],
    }
  },
  submit: 'customer.checkAgainNow',
  write: sites.recheck,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  flash: ({ domain }) => t('customer.checkingWhereDomainPoints', { domain }),
})
