import * as accounts from '../../../model/accounts/accounts.ts'
import { findSite } from '../../../model/sites/site-changes.ts'
import { fill } from '../../addresses.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'

// The two sections with the settings of websites: a customer's own, and those of an account.

type Names = { username?: string; domain: string }
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type SiteSection = {
  /** The path of a website. */
  path: string
  roles: readonly Role[]
  usernameOf: (asked: Pick<Asked, 'session' | 'params'>) => string
}

export const ofCustomer: SiteSection = {
  path: '/account/sites/:domain',
  roles: customers,
  usernameOf: ({ session }) => session.name,
}

export const ofOperators: SiteSection = {
  path: '/accounts/:username/sites/:domain',
  roles: operators,
  usernameOf: ({ params }) => namesOf(params).username ?? '',
}

export const namesOf = (params: object): Names => params as Names

/** The address of the website's page. */
export const siteAddress = ({ path }: SiteSection, params: object): string =>
  fill(path, namesOf(params) as Record<string, string>)

/** @throws {PanelError} `website_unknown` */
export async function siteOf(section: SiteSection, asked: Asked) {
  const account = await accounts.get(asked.pool, asked.caller, section.usernameOf(asked))
  return findSite(asked.pool, account, namesOf(asked.params).domain)
}
