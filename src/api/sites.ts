import { z } from 'zod'
import { Account, get } from '../model/accounts/accounts.ts'
import { siteDomain } from '../model/grammar/grammar.ts'
import * as changes from '../model/sites/site-changes.ts'
import { toPhpView } from '../model/sites/php-changes.ts'
import * as sites from '../model/sites/sites.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'
import { account } from './examples.ts'

const site: changes.SiteView = {
  domain: 'alice.example',
  ssl: 'issued',
  https_only: true,
  hsts_seconds: 0,
  serves_sources: false,
  document_root: 'current/public',
  fallback: 'index.php',
  www: 'redirect',
  aliases: ['alice.net.example'],
  name_redirects: {},
  redirects: { '/old': { to: 'https://shop.example/new', code: 301 } },
  protected_paths: ['/admin'],
  users: ['carol'],
  headers: { nosniff: true, frame: 'SAMEORIGIN', referrer: null, csp: null },
  php: toPhpView({ memory_limit_mb: 128, timezone: 'Europe/Berlin' }),
}

const change: z.input<typeof changes.SiteChange> = {
  document_root: 'current/public',
  aliases: ['alice.net.example'],
  redirects: { '/old': { to: 'https://shop.example/new' } },
  users: { carol: 'correct horse battery' },
}

const one = { name: 'Site', schema: changes.SiteView, example: site }

const NewSite = z.strictObject({ domain: siteDomain })

const permissions = ['Sites', 'Provisioning and hosting'] as const
const needed = ' The token must have the permission `Sites` or `Provisioning and hosting`.'

const path = '/accounts/{username}/sites/{domain}'
const parameters = { domain: { schema: siteDomain, example: site.domain } }

/** The endpoints of websites and their settings. */
export const siteEndpoints: Endpoint[] = [
  reading({
    id: 'listSites',
    method: 'GET',
    path: '/accounts/{username}/sites',
    tag: 'Accounts',
    permissions,
    summary: 'List the websites of an account',
    description: `With their settings.${needed}`,
    answers: {
      200: {
        description: 'The websites, the oldest first',
        name: 'SiteList',
        schema: z.strictObject({ sites: z.array(changes.SiteView) }),
        example: { sites: [site] },
      },
    },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      async ({ caller, params: { username } }) => ({
        sites: await changes.listSites(pool, await get(pool, caller, username)),
      }),
  }),
  writing({
    id: 'addSite',
    method: 'POST',
    path: '/accounts/{username}/sites',
    tag: 'Accounts',
    permissions,
    summary: 'Add a website',
    description: `The name with \`www.\` is served too.${needed}`,
    body: {
      name: 'NewSite',
      schema: NewSite,
      example: { domain: 'alice.example' },
      isRequired: true,
    },
    answers: { 200: { description: 'The account', schema: Account, example: account } },
    refusals: ['not_found'],
    write: sites.add,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  reading({
    id: 'getSite',
    method: 'GET',
    path,
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Get a website with its settings',
    description: `Passwords are not returned.${needed}`,
    answers: { 200: { description: 'The website', ...one } },
    refusals: ['not_found'],
    read:
      ({ pool }) =>
      async ({ caller, params: { username, domain } }) => {
        const { id: _, ...found } = await changes.findSite(
          pool,
          await get(pool, caller, username),
          siteDomain.safeParse(domain).data ?? domain,
        )
        return found
      },
  }),
  writing({
    id: 'changeSite',
    method: 'PATCH',
    path,
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Change the settings of a website',
    description:
      'A JSON merge patch (RFC 7396): what is left out is kept, and null restores the default or ' +
      `removes an entry. The next request of a visitor sees the change.${needed}`,
    body: { name: 'SiteChange', schema: changes.SiteChange, example: change, isRequired: true },
    answers: { 200: { description: 'The website', ...one } },
    refusals: ['not_found'],
    write: sites.set,
    toDesired: (params, body) => ({ ...params, change: body }),
  }),
  writing({
    id: 'removeSite',
    method: 'DELETE',
    path,
    parameters,
    tag: 'Accounts',
    permissions,
    summary: 'Remove a website',
    description: `Its files are kept in \`files/removed-…\` of the account.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The account', schema: Account, example: account } },
    refusals: ['not_found'],
    write: sites.remove,
    toDesired: params => params,
  }),
]
