import type { Role } from '../../src/web/page.ts'
import { pages } from '../../src/web/pages.ts'
import type { Panel } from '../support/panel.ts'
import { addressOf } from '../support/web/address-of.ts'
import type { Window } from '../support/web/chromium.ts'
import { cookiesAs, cookiesOf, pendingOf } from '../support/web/signed-in.ts'
import { beginFactor } from './stage-factors.ts'
import { id } from './stage-hooks.ts'

// Every page of the table of pages as each role sees it, and some that are worth a picture in
// another state, by the names of their pictures. A page that is added is here too; only a new kind
// of name in an address has to be added.

/** Every owner's, on the stage. */
export const operatorsPassword = 'a password of it'

/**
 * The names in addresses, on the stage. Sessions, tokens and keys are numbered as they were made.
 */
const things: Record<Role, Record<string, string>> = {
  administrator: {
    ...{ accounts: 'alice', packages: 'starter', resellers: 'rita', administrators: 'boss' },
    ...{ jobs: id('1'), deliveries: id('d002'), webhooks: id('b001') },
    ...{ sessions: '1', tokens: '1', sites: 'alice.example', databases: 'alice_shop' },
  },
  reseller: {
    ...{ accounts: 'rob', packages: 'basic', jobs: id('2'), sessions: '2', tokens: '2' },
    ...{ sites: 'rob.example', databases: 'rob_shop' },
  },
  customer: {
    ...{ sites: 'alice.example', databases: 'alice_shop', users: 'alice_report' },
    ...{ jobs: id('3'), sessions: '3' },
  },
}

/** Files, and addresses that lead on. */
export const undrawn = /\.(csv|json)$|\/(sign-out|download)$/
/** Pages that exist only for minutes after a request. */
const inProgress = /\/replace\/set-up$/

const prefixes: Record<Role, string> = {
  administrator: '',
  reseller: 'reseller-',
  customer: 'customer-',
}

// /accounts/:username/settings becomes account-settings.
const nameOf = (role: Role, path: string): string => {
  const one = path.replaceAll(/ies\/:\w+/g, 'y').replaceAll(/s\/:\w+/g, '')
  return prefixes[role] + one.slice(1).replaceAll('/', '-')
}

const pathsOf = (role: Role, isInProgress = false): Record<string, string> =>
  Object.fromEntries(
    pages
      .filter(({ roles, path }) => roles.includes(role) && !undrawn.test(path))
      .filter(({ path }) => inProgress.test(path) === isInProgress)
      .map(({ path }) => [nameOf(role, path), addressOf(path, things[role], role)]),
  )

/** The pages of an administrator. */
export const paths: Record<string, string> = {
  ...pathsOf('administrator'),
  'accounts-filtered': '/accounts?state=suspended',
  'accounts-none': '/accounts?q=nothing+like+it',
  'account-suspended': '/accounts/forum42',
  'account-moved-jobs': '/accounts/bella/jobs',
  'account-moved-history': '/accounts/bella/history',
  'jobs-failed': '/jobs?state=failed',
  'job-hook-run': '/jobs/hook:100001',
  'hooks-shown': `/hooks?delivery=${id('d002')}`,
  'hooks-failed': '/hooks?state=failed',
  'search-found': '/search?q=al',
  'account-missing': '/accounts/missing',
}

/** The pages of a reseller. */
export const resellerPaths: Record<string, string> = pathsOf('reseller')

/** The pages of a customer. */
export const customerPaths: Record<string, string> = {
  ...pathsOf('customer'),
  'customer-account-search-found': '/account/search?q=alice',
  'customer-account-site-insecure': '/account/sites/shop.alice.example',
  'customer-account-site-missing': '/account/sites/nothing.example',
}

/** The pages of a user of each role who has a second factor and sets up another in its place. */
export const pagePaths: Record<Role, Record<string, string>> = {
  administrator: { ...pathsOf('administrator', true), 'my-account-secured': '/my-account' },
  reseller: { ...pathsOf('reseller', true), 'reseller-my-account-secured': '/my-account' },
  customer: { ...pathsOf('customer', true), 'customer-account-secured': '/account/security' },
}

/** The pages of an administrator who has signed in as a customer. */
const pathsAsCustomer: Record<string, string> = {
  'as-customer': '/account',
  'as-customer-sites': '/account/sites',
  'as-customer-site': '/account/sites/alice.example',
  'as-customer-databases': '/account/databases',
  'as-customer-database': '/account/databases/alice_shop',
  'as-customer-sftp': '/account/sftp',
  'as-customer-history': '/account/history',
}

/** The pages that are open to everyone. */
const signedOutPaths: Record<string, string> = {
  'sign-in': '/sign-in',
  'forgotten-password': '/sign-in/password',
  'sign-on-over-missing': `/sso/${'A'.repeat(43)}`,
  missing: '/nothing',
}

/** A user's path through pages, with the cookies for it. */
export type Tour = {
  who: string
  paths: Record<string, string>
  cookies: (panel: Panel) => Promise<Pick<Window, 'session' | 'customer' | 'pending'>>
}

const tourOf = (who: string, paths: Record<string, string>): Tour => ({
  who,
  paths,
  cookies: panel => cookiesOf(panel, who),
})

// Their passwords were right, and a code is still to come.
const tourOnTheWay = (who: string, name: string): Tour => ({
  who,
  paths: { [name]: '/sign-in/code' },
  cookies: panel => pendingOf(panel, who, operatorsPassword),
})

// The next second factor is good for minutes, so each tour begins it.
const tourInProgress = (who: string, role: Role): Tour => ({
  who,
  paths: pagePaths[role],
  async cookies(panel) {
    await beginFactor(panel.pool, who, 'next')
    return cookiesOf(panel, who)
  },
})

/** The tours, by role. */
export const tours: Tour[] = [
  tourOf('admin', paths),
  tourOf('rita', resellerPaths),
  tourOf('alice', customerPaths),
  tourInProgress('paula', 'administrator'),
  tourInProgress('rosa', 'reseller'),
  tourInProgress('hanna', 'customer'),
  {
    who: 'alice, by admin',
    paths: pathsAsCustomer,
    cookies: panel => cookiesAs(panel, 'admin', 'alice'),
  },
  { who: 'a visitor', paths: signedOutPaths, cookies: async () => ({}) },
  tourOnTheWay('paula', 'sign-in-code'),
  tourOnTheWay('otto', 'sign-in-enrolment'),
]

/** Whether there is nothing at a place, which has a page too. */
export const isMissing = (name: string): boolean => name.endsWith('missing')

/** A phone, a tablet and a desk. */
export const widths = [360, 768, 1_440]
export const schemes = ['light', 'dark'] as const
