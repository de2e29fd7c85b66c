import * as accounts from '../../../model/accounts/accounts.ts'
import { toSiteView, unknown } from '../../../model/sites/site-changes.ts'
import { listShownSites } from '../../../model/sites/shown-sites.ts'
import type { PageRequest } from '../../page.ts'
import { aliasWords, closedWords, rulesWords, siteWords } from '../../site-words.ts'

// The facts about the own account on a customer's pages.

type Of = Pick<PageRequest, 'pool' | 'caller' | 'session' | 'wiring'>

export const pathOfSite = (domain: string): string => `/account/sites/${encodeURIComponent(domain)}`

/** Returns the account that is signed in. */
export const ownAccount = ({ pool, caller, session }: Omit<Of, 'wiring'>) =>
  accounts.get(pool, caller, session.name)

/** The same with its websites, and how they are doing. */
export async function ownSites(request: Of) {
  const record = await ownAccount(request)
  const addresses = await request.wiring.about.addresses(request.pool)
  const sites = await listShownSites(request.pool, record)
  return {
    record,
    addresses,
    sites: sites.map(site => ({
      ...site,
      settings: toSiteView(site),
      address: pathOfSite(site.domain),
      words: siteWords(site, addresses),
      rulesWords: rulesWords(site),
      closedWords: closedWords(site),
      aliasWords: aliasWords(site),
    })),
  }
}

/**
 * One of them.
 *
 * @throws {PanelError} `website_unknown`
 */
export async function ownSite(request: Of, domain: string) {
  const { record, addresses, sites } = await ownSites(request)
  const site = sites.find(one => one.domain === domain)
  if (site === undefined) throw unknown(domain)
  return { record, addresses, site }
}
