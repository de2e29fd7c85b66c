import { z } from 'zod'
import { siteDomain } from '../../../model/grammar/grammar.ts'
import type { ShownSite } from '../../../model/sites/shown-sites.ts'
import * as sites from '../../../model/sites/sites.ts'
import { checkbox, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers } from '../../page.ts'
import { roomFor } from '../../room.ts'
import { ownSite, ownSites, pathOfSite } from './own.ts'

// A customer adds and removes websites.

/** The fields of a new website. */
export const siteFields = {
  domain: text('Domain', siteDomain, {
    example: 'shop.example',
    hint: 'The name with www. in front is served too.',
  }),
}

/** Returns what removing a website does. */
export const removalWords = (domain: string): string[] => [
  `${domain} and www.${domain} go offline, and the certificate is deleted.`,
  `Its files are kept in /files/removed-${domain}.`,
]

export const addSite = form({
  path: '/account/sites/new',
  roles: customers,
  title: () => 'Add website',
  parent: () => '/account/sites',
  fields: siteFields,
  async load(asked) {
    const { record, sites } = await ownSites(asked)
    return roomFor('website', { has: sites.length, max: record.package.maxSites })
  },
  submit: 'Add website',
  write: sites.add,
  toDesired: ({ session, values }) => ({ username: session.name, ...values }),
  then: ({ values }) => pathOfSite(values.domain),
  flash: () => 'The website was added.',
})

/** Which visitors are sent to HTTPS. */
export const setHttps = form({
  path: '/account/sites/:domain/https',
  roles: customers,
  title: ({ domain }) => `HTTPS for ${domain}`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: {
    https_only: checkbox('Redirect http:// to https://', z.boolean()),
  },
  async load(asked) {
    const { site } = await ownSite(asked, asked.params.domain)
    return {
      values: { https_only: site.settings.https_only },
      words: [
        site.names === null
          ? beginning(site)
          : 'Browsers remember the redirect: after you switch it off, some keep using HTTPS.',
      ],
    }
  },
  submit: 'Save',
  write: sites.set,
  toDesired: ({ session, params, values }) => ({
    username: session.name,
    ...params,
    change: values,
  }),
  flash: ({ domain }) => `Saved for ${domain}.`,
})

const beginning = ({ is_issuing }: ShownSite): string =>
  is_issuing
    ? 'The redirect starts once the website has a certificate; until then it is served over HTTP.'
    : 'Certificates are switched off on this server, so the website is served over HTTP.'

/** Where one's records were set a moment ago. */
export const recheck = form({
  path: '/account/sites/:domain/look',
  roles: customers,
  title: ({ domain }) => `Check ${domain} again`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: {},
  async load(asked) {
    await ownSite(asked, asked.params.domain)
    return {
      words: [
        'Checks where the domain points now, and requests a certificate if it points here. ' +
          'The .htaccess files are read again too.',
      ],
    }
  },
  submit: 'Check again now',
  write: sites.look,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  flash: ({ domain }) => `Checking where ${domain} points; this page shows the result in a moment.`,
})

export const removeSite = form({
  path: '/account/sites/:domain/remove',
  roles: customers,
  title: ({ domain }) => `Remove ${domain}`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: {},
  async load(asked) {
    const { site } = await ownSite(asked, asked.params.domain)
    return { words: removalWords(site.domain) }
  },
  submit: 'Remove website',
  isDanger: true,
  confirm: ({ domain }) => domain,
  write: sites.remove,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  then: () => '/account/sites',
  flash: ({ domain }) => `${domain} was removed.`,
})
