import { toSiteView, type SiteChange } from '../../../model/sites/site-changes.ts'
import { readInstalledPhp } from '../../../model/server/server-snapshot.ts'
import { frameOptions, referrerPolicies } from '../../../model/sites/site-settings.ts'
import * as sites from '../../../model/sites/sites.ts'
import { word } from '../../api-call.ts'
import { form } from '../../form.ts'
import { t } from '../../texts/texts.ts'
import * as fields from './fields.ts'
import { displayOptions, phpChange, phpFormFields, phpValues, versionOptions } from './php.ts'
import { extensionsOf } from './php-extensions.ts'
import {
  accountOf,
  namesOf,
  shownSiteOf,
  siteAddress,
  siteOf,
  type SiteSection,
} from './section.ts'

/** Changes the settings of a website. */
export const settingForms = (section: SiteSection) => {
  const { path, roles } = section
  const parent = (params: object) => siteAddress(section, params)
  const domainOf = (params: object) => namesOf(params).domain
  type Given = Parameters<SiteSection['usernameOf']>[0]
  const desired = (given: Given, change: SiteChange) => ({
    username: section.usernameOf(given),
    domain: domainOf(given.params),
    change,
  })
  const call = (params: object, body: SiteChange, options: string[] = []) => {
    const { username = 'USERNAME', domain } = namesOf(params)
    const command = `panel site set ${word(username)} ${word(domain)} ${options.join(' ')}`
    return {
      method: 'PATCH',
      path: `/accounts/${encodeURIComponent(username)}/sites/${encodeURIComponent(domain)}`,
      body,
      ...(options.length > 0 && { command }),
    }
  }
  const flash = (params: object) => t('sites.savedDomain', { domain: domainOf(params) })

  return {
    serving: form({
      path: `${path}/serving`,
      roles,
      title: params => t('sites.howDomainServed', { domain: domainOf(params) }),
      parent,
      fields: fields.serving,
      async load(asked) {
        const { document_root, fallback, www } = await siteOf(section, asked)
        const values = { document_root, fallback, www }
        return { values, options: fields.servingOptions() }
      },
      submit: 'sites.save',
      call: (params, values) =>
        call(params, values as SiteChange, [
          `--document-root ${word(values['document_root'])}`,
          `--fallback ${word(values['fallback'])} --www ${word(values['www'])}`,
        ]),
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    https: form({
      path: `${path}/https`,
      roles,
      title: params => t('sites.httpsDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.https,
      async load(asked) {
        const site = await shownSiteOf(section, asked)
        const { https_only } = toSiteView(site)
        return { values: { https_only }, words: [fields.httpsWords(site)] }
      },
      submit: 'sites.save',
      call: (params, { https_only }) =>
        call(params, { https_only } as SiteChange, [`--https-only ${https_only ? 'yes' : 'no'}`]),
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    sources: form({
      path: `${path}/sources`,
      roles,
      title: params => t('sites.sourceFilesDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.sources,
      async load(asked) {
        const { serves_sources } = await siteOf(section, asked)
        return { values: { serves_sources }, words: fields.sourcesWords() }
      },
      submit: 'sites.save',
      call: (params, { serves_sources }) =>
        call(params, { serves_sources } as SiteChange, [
          `--serve-sources ${serves_sources ? 'yes' : 'no'}`,
        ]),
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    headers: form({
      path: `${path}/headers`,
      roles,
      title: params => t('sites.securityHeadersDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.headers,
      async load(asked) {
        const { hsts_seconds, headers } = await siteOf(section, asked)
        return {
          words: [t('sites.headerWebsitesOwnScripts')],
          values: { hsts_seconds, ...headers, frame: headers.frame ?? '', csp: headers.csp ?? '' },
          options: {
            frame: [{ value: '', label: t('sites.notSent') }, ...frameOptions],
            referrer: [{ value: '', label: t('sites.notSent') }, ...referrerPolicies],
          },
        }
      },
      submit: 'sites.save',
      write: sites.set,
      toDesired: given => {
        const { hsts_seconds, nosniff, frame, referrer, csp = null } = given.values
        const headers = { nosniff, frame: frame || null, referrer: referrer || null, csp }
        return desired(given, { hsts_seconds, headers })
      },
      flash,
    }),
    php: form({
      path: `${path}/php`,
      roles,
      title: params => t('sites.phpDomain', { domain: domainOf(params) }),
      parent,
      fields: phpFormFields,
      async load(asked) {
        const { php } = await siteOf(section, asked)
        const { package: limits } = await accountOf(section, asked)
        const installed = await readInstalledPhp(asked.pool)
        const extensions = extensionsOf(php, installed, limits)
        return {
          values: { ...phpValues(php), ...extensions.values },
          options: {
            version: versionOptions(php, installed, limits),
            display_errors: displayOptions(),
            extensions: extensions.options,
          },
        }
      },
      submit: 'sites.save',
      write: sites.set,
      toDesired: given => desired(given, { php: phpChange(given.values) }),
      flash,
    }),
    redirects: form({
      path: `${path}/redirects`,
      roles,
      title: params => t('sites.redirectsDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.redirects,
      async load(asked) {
        const site = await siteOf(section, asked)
        return { values: { redirects: fields.formatRedirects(site) } }
      },
      submit: 'sites.save',
      write: sites.set,
      toDesired: given => ({ ...desired(given, given.values), isWhole: true }),
      flash,
    }),
    protection: form({
      path: `${path}/protection`,
      roles,
      title: params => t('sites.passwordProtectionDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.protection,
      async load(asked) {
        const { protected_paths, users } = await siteOf(section, asked)
        const words = users.length > 0 ? [] : [t('sites.addUserTooWithout')]
        return { words, values: { protected_paths: protected_paths.join('\n') } }
      },
      submit: 'sites.save',
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    addUser: form({
      path: `${path}/users/new`,
      roles,
      title: params => t('sites.userDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.newUser,
      async load(asked) {
        await siteOf(section, asked)
        return { words: [t('sites.visitorsEnterNamePassword')] }
      },
      submit: 'sites.saveUser',
      write: sites.set,
      toDesired: given => desired(given, { users: { [given.values.name]: given.values.password } }),
      flash,
    }),
    removeUser: form({
      path: `${path}/users/remove`,
      roles,
      title: params => t('sites.removeUserFromDomain', { domain: domainOf(params) }),
      parent,
      fields: fields.oldUser,
      async load(asked) {
        const { users } = await siteOf(section, asked)
        if (users.length === 0) return { words: [t('sites.websiteHasNoUsers')], isIdle: true }
        return { options: { name: users } }
      },
      submit: 'sites.removeUser',
      isDanger: true,
      write: sites.set,
      toDesired: given => desired(given, { users: { [given.values.name]: null } }),
      flash,
    }),
  }
}
