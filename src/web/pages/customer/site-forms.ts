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

/** What a new website needs. */
export const siteFields = {
  domain: text('Domain', siteDomain, {
    example: 'shop.example',
    hint: 'The name with www. in front of it is served too.',
  }),
}

/** What removing a website does. */
export const removalWords = (domain: string): string[] => [
  `${domain} and www.${domain} are served no more, and the certificate goes.`,
  `Its files are kept: they are moved to /files/removed-${domain}.`,
]

export const addSite = form({
  path: '/account/sites/new',
  roles: customers,
  title: () => 'Add website',
  parent: () => '/account/sites',
  fields: siteFields,
  async load(asked) {
    const { record, sites } = await ownSites(asked)
    return roomFor('website', { has: sites.length, most: record.package.maxSites })
  },
  submit: 'Add website',
  write: sites.add,
  toDesired: ({ session, values }) => ({ username: session.name, ...values }),
  then: ({ values }) => pathOfSite(values.domain),
  said: () => 'The website is added.',
})

/** Which visitors are sent to HTTPS. */
export const setHttps = form({
  path: '/account/sites/:domain/https',
  roles: customers,
  title: ({ domain }) => `HTTPS of ${domain}`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: {
    https_only: checkbox('Send visitors of http:// to https://', z.boolean()),
  },
  async load(asked) {
    const { site } = await ownSite(asked, asked.params.domain)
    return {
      values: { https_only: site.is_https_only },
      words: [
        site.names === null
          ? beginning(site)
          : 'Browsers remember being sent on: switched off again, some go on using HTTPS.',
      ],
    }
  },
  submit: 'Save',
  write: sites.setHttps,
  toDesired: ({ session, params, values }) => ({ username: session.name, ...params, ...values }),
  said: ({ domain }) => `Saved for ${domain}.`,
})

const beginning = ({ is_issuing }: ShownSite): string =>
  is_issuing
    ? 'It begins once the website has its certificate; until then it is served by HTTP.'
    : 'This server gets no certificates: until it does, the website is served by HTTP.'

/** Where one's records were set a moment ago. */
export const lookAgain = form({
  path: '/account/sites/:domain/look',
  roles: customers,
  title: ({ domain }) => `Look at ${domain} again`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: {},
  async load(asked) {
    await ownSite(asked, asked.params.domain)
    return {
      words: [
        'We look now where its name points, and order its certificate if it points here. ' +
          'Its .htaccess files are read again too.',
      ],
    }
  },
  submit: 'Look again now',
  write: sites.look,
  toDesired: ({ session, params }) => ({ username: session.name, ...params }),
  said: ({ domain }) => `We look where ${domain} points; this page shows it in a moment.`,
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
  said: ({ domain }) => `${domain} is removed.`,
})
