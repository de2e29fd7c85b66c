import { toSiteView, type SiteChange } from '../../../model/sites/site-changes.ts'
import { readInstalledPhp } from '../../../model/server/server-snapshot.ts'
import { frameOptions, referrerPolicies } from '../../../model/sites/site-settings.ts'
import * as sites from '../../../model/sites/sites.ts'
import { word } from '../../api-call.ts'
import { form } from '../../form.ts'
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
  const flash = (params: object) => `Saved for ${domainOf(params)}.`

  return {
    serving: form({
      path: `${path}/serving`,
      roles,
      title: params => `How ${domainOf(params)} is served`,
      parent,
      fields: fields.serving,
      async load(asked) {
        const { document_root, fallback, www } = await siteOf(section, asked)
        const values = { document_root, fallback, www }
        return { values, options: fields.servingOptions }
      },
      submit: 'Save',
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
      title: params => `HTTPS for ${domainOf(params)}`,
      parent,
      fields: fields.https,
      async load(asked) {
        const site = await shownSiteOf(section, asked)
        const { https_only } = toSiteView(site)
        return { values: { https_only }, words: [fields.httpsWords(site)] }
      },
      submit: 'Save',
      call: (params, { https_only }) =>
        call(params, { https_only } as SiteChange, [`--https-only ${https_only ? 'yes' : 'no'}`]),
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    sources: form({
      path: `${path}/sources`,
      roles,
      title: params => `Source files of ${domainOf(params)}`,
      parent,
      fields: fields.sources,
      async load(asked) {
        const { serves_sources } = await siteOf(section, asked)
        return { values: { serves_sources }, words: fields.sourcesWords }
      },
      submit: 'Save',
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
      title: params => `Security headers of ${domainOf(params)}`,
      parent,
      fields: fields.headers,
      async load(asked) {
        const { hsts_seconds, headers } = await siteOf(section, asked)
        return {
          words: ['A header that the website’s own scripts send is left as it is.'],
          values: { hsts_seconds, ...headers, frame: headers.frame ?? '', csp: headers.csp ?? '' },
          options: {
            frame: [{ value: '', label: 'Not sent' }, ...frameOptions],
            referrer: [{ value: '', label: 'Not sent' }, ...referrerPolicies],
          },
        }
      },
      submit: 'Save',
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
      title: params => `PHP of ${domainOf(params)}`,
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
            display_errors: displayOptions,
            extensions: extensions.options,
          },
        }
      },
      submit: 'Save',
      write: sites.set,
      toDesired: given => desired(given, { php: phpChange(given.values) }),
      flash,
    }),
    redirects: form({
      path: `${path}/redirects`,
      roles,
      title: params => `Redirects of ${domainOf(params)}`,
      parent,
      fields: fields.redirects,
      async load(asked) {
        const site = await siteOf(section, asked)
        return { values: { redirects: fields.formatRedirects(site) } }
      },
      submit: 'Save',
      write: sites.set,
      toDesired: given => ({ ...desired(given, given.values), isWhole: true }),
      flash,
    }),
    protection: form({
      path: `${path}/protection`,
      roles,
      title: params => `Password protection of ${domainOf(params)}`,
      parent,
      fields: fields.protection,
      async load(asked) {
        const { protected_paths, users } = await siteOf(section, asked)
        const words =
          users.length > 0
            ? []
            : ['Add a user too: without one, no visitor can open these folders.']
        return { words, values: { protected_paths: protected_paths.join('\n') } }
      },
      submit: 'Save',
      write: sites.set,
      toDesired: given => desired(given, given.values),
      flash,
    }),
    addUser: form({
      path: `${path}/users/new`,
      roles,
      title: params => `User for ${domainOf(params)}`,
      parent,
      fields: fields.newUser,
      async load(asked) {
        await siteOf(section, asked)
        return { words: ['Visitors enter this name and password to open protected folders.'] }
      },
      submit: 'Save user',
      write: sites.set,
      toDesired: given => desired(given, { users: { [given.values.name]: given.values.password } }),
      flash,
    }),
    removeUser: form({
      path: `${path}/users/remove`,
      roles,
      title: params => `Remove user from ${domainOf(params)}`,
      parent,
      fields: fields.oldUser,
      async load(asked) {
        const { users } = await siteOf(section, asked)
        if (users.length === 0) return { words: ['The website has no users.'], isIdle: true }
        return { options: { name: users } }
      },
      submit: 'Remove user',
      isDanger: true,
      write: sites.set,
      toDesired: given => desired(given, { users: { [given.values.name]: null } }),
      flash,
    }),
  }
}
