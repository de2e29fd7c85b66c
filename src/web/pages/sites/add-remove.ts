import { siteDomain } from '../../../model/grammar/grammar.ts'
import { hostIn } from '../../../model/grammar/search-words.ts'
import { servedNames } from '../../../model/sites/name-redirects.ts'
import * as sites from '../../../model/sites/sites.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, namesOf, siteAddress, siteOf, type SiteSection } from './section.ts'

const things = {
  more: (left: number) => t('sites.roomMore', { left }),
  so: (max: number) => t('sites.roomNumber', { max }),
  none: 'sites.roomNone',
} as const

const fields = {
  domain: text('sites.domainLabel', siteDomain, {
    reads: hostIn,
    example: 'shop.example',
    hint: 'sites.domainHint',
  }),
}

/** Adds and removes websites. */
export const siteForms = (section: SiteSection) => {
  const { path, roles, parentOf, isOwn } = section
  const commandOf = (verb: string, params: object, domain: unknown): string =>
    `panel site ${verb} ${word(namesOf(params).username)} ${word(domain)}`
  return {
    add: form({
      path: `${path.replace('/:domain', '')}/new`,
      roles,
      title: params =>
        isOwn
          ? t('sites.addWebsite')
          : t('sites.addWebsiteUsername', { username: namesOf(params).username ?? '' }),
      parent: parentOf,
      fields,
      async load(asked) {
        const account = await accountOf(section, asked)
        const { maxSites: max, name } = account.package
        const room = { has: account.sites.length, max }
        return roomFor(things, isOwn ? room : { ...room, packageName: name })
      },
      submit: 'sites.addWebsite',
      call: (params, { domain }) => ({ command: commandOf('add', params, domain) }),
      write: sites.add,
      toDesired: given => ({ username: section.usernameOf(given), ...given.values }),
      then: ({ params, values }) => (isOwn ? siteAddress(section, values) : parentOf(params)),
      flash: (_params, _answer, { domain }) => t('sites.domainWasAdded', { domain }),
    }),
    remove: form({
      path: `${path}/remove`,
      roles,
      title: params => t('sites.removeDomain', { domain: namesOf(params).domain }),
      parent: params => (isOwn ? siteAddress(section, params) : parentOf(params)),
      fields: {},
      async load(asked) {
        const site = await siteOf(section, asked)
        const names = servedNames(site)
        const words = [
          names.length === 1
            ? t('sites.domainGoesOfflineCertificate', { domain: site.domain })
            : t('sites.namesAtGoOffline', {
                names: names.slice(0, -1).join(', '),
                at: names.at(-1) ?? '',
              }),
          t('sites.filesKeptFilesRemoved', { domain: site.domain }),
        ]
        return lockedNotice(asked.caller, await accountOf(section, asked)) ?? { words }
      },
      submit: 'sites.removeWebsite',
      isDanger: true,
      confirm: params => namesOf(params).domain,
      call: params => ({ command: commandOf('rm', params, namesOf(params).domain) }),
      write: sites.remove,
      toDesired: given => ({
        username: section.usernameOf(given),
        domain: namesOf(given.params).domain,
      }),
      then: ({ params }) => parentOf(params),
      flash: params => t('sites.domainWasRemoved', { domain: namesOf(params).domain }),
    }),
  }
}
