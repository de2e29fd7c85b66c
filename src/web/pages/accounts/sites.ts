import * as accounts from '../../../model/accounts/accounts.ts'
import { findSite, unknown } from '../../../model/sites/site-changes.ts'
import * as sites from '../../../model/sites/sites.ts'
import { word } from '../../api-call.ts'
import { form, type FormAsked } from '../../form.ts'
import { operators } from '../../page.ts'
import { roomFor } from '../../room.ts'
import { removalWords, siteFields } from '../customer/site-forms.ts'
import { sourcesFields, sourcesWords } from '../customer/site-sources.ts'
import { lockedNotice, pathOf } from './shown.ts'

// Administrators and resellers add and remove an account's websites, and set what is served.

const toAccount = ({ username }: { username: string }) => pathOf(username)

const find = ({ pool, caller, params }: FormAsked<'/:username'>) =>
  accounts.get(pool, caller, params.username)

/** /accounts/USERNAME/sites/new */
export const addSiteTo = form({
  path: '/accounts/:username/sites/new',
  roles: operators,
  title: ({ username }) => `Add website to ${username}`,
  parent: toAccount,
  fields: siteFields,
  async load(asked) {
    const { sites, package: of } = await find(asked)
    return roomFor('website', { has: sites.length, max: of.maxSites, packageName: of.name })
  },
  submit: 'Add website',
  call: ({ username }, values) => ({
    command: `panel site add ${word(username)} ${word(values['domain'])}`,
  }),
  write: sites.add,
  toDesired: ({ params, values }) => ({ ...params, ...values }),
  flash: (_params, _answer, { domain }) => `${domain} was added.`,
})

/** /accounts/USERNAME/sites/DOMAIN/sources */
export const setSourcesOf = form({
  path: '/accounts/:username/sites/:domain/sources',
  roles: operators,
  title: ({ domain }) => `Source files of ${domain}`,
  parent: toAccount,
  fields: sourcesFields,
  async load(asked) {
    const { domain } = asked.params
    const { serves_sources } = await findSite(asked.pool, await find(asked), domain)
    return { values: { serves_sources }, words: sourcesWords }
  },
  submit: 'Save',
  call: ({ username, domain }, values) => ({
    command:
      `panel site set ${word(username)} ${word(domain)} ` +
      `--serve-sources ${values['serves_sources'] ? 'yes' : 'no'}`,
  }),
  write: sites.set,
  toDesired: ({ params, values }) => ({ ...params, change: values }),
  flash: ({ domain }) => `Saved for ${domain}.`,
})

/** /accounts/USERNAME/sites/DOMAIN/remove */
export const removeSiteFrom = form({
  path: '/accounts/:username/sites/:domain/remove',
  roles: operators,
  title: ({ domain }) => `Remove ${domain}`,
  parent: toAccount,
  fields: {},
  async load(asked) {
    const { domain } = asked.params
    const record = await find(asked)
    if (!accounts.sitesOf(record).some(site => site.domain === domain)) throw unknown(domain)
    return lockedNotice(asked.caller, record) ?? { words: removalWords(domain) }
  },
  submit: 'Remove website',
  isDanger: true,
  confirm: ({ domain }) => domain,
  call: ({ username, domain }) => ({ command: `panel site rm ${word(username)} ${word(domain)}` }),
  write: sites.remove,
  toDesired: ({ params }) => params,
  flash: ({ domain }) => `${domain} was removed.`,
})
