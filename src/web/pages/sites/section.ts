import * as accounts from '../../../model/accounts/accounts.ts'
import { listShownSites } from '../../../model/sites/shown-sites.ts'
import { toSiteView, unknown } from '../../../model/sites/site-changes.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { pathOf } from '../accounts/shown.ts'

// The two sections with the settings of websites: a customer's own, and those of an account.

type Names = { username?: string; domain: string }
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type SiteSection = {
  /** The path of a website. */
  path: string
  roles: readonly Role[]
  /** Whether it is the account that is signed in. */
  isOwn: boolean
  /** The page that lists the websites. */
  parentOf: (params: object) => string
  usernameOf: (asked: Pick<Asked, 'session' | 'params'>) => string
}

export const ofCustomer: SiteSection = {
  path: '/account/sites/:domain',
  roles: customers,
  isOwn: true,
  parentOf: () => '/account/sites',
  usernameOf: ({ session }) => session.name,
}

export const ofOperators: SiteSection = {
  path: '/accounts/:username/sites/:domain',
  roles: operators,
  isOwn: false,
  parentOf: params => pathOf(namesOf(params).username ?? ''),
  usernameOf: ({ params }) => namesOf(params).username ?? '',
}

export const namesOf = (params: object): Names => params as Names

/** The address of the website's page. */
export const siteAddress = ({ path }: SiteSection, params: object): string =>
  fill(path, namesOf(params) as Record<string, string>)

/** Returns the account that the websites belong to, if the caller may see it. */
export const accountOf = (section: SiteSection, asked: Asked) =>
  accounts.get(asked.pool, asked.caller, section.usernameOf(asked))

/**
 * Returns a website with its certificate.
 *
 * @throws {PanelError} `website_unknown`
 */
export async function shownSiteOf(section: SiteSection, asked: Asked) {
  const { domain } = namesOf(asked.params)
  const sites = await listShownSites(asked.pool, await accountOf(section, asked))
  const found = sites.find(one => one.domain === domain && one.state !== 'adding')
  if (found === undefined) throw unknown(domain)
  return found
}

/** Returns the same with its settings. */
export async function siteOf(section: SiteSection, asked: Asked) {
  const found = await shownSiteOf(section, asked)
  return { id: found.id, ...toSiteView(found) }
}
