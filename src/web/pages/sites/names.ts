import { z } from 'zod'
import { servedName, siteDomain } from '../../../model/grammar/grammar.ts'
import { listShownSites } from '../../../model/sites/shown-sites.ts'
import { servedNames } from '../../../model/sites/name-redirects.ts'
import { nameTarget } from '../../../model/sites/site-grammar.ts'
import { redirectCodes } from '../../../model/sites/site-settings.ts'
import type { SiteView } from '../../../model/sites/site-changes.ts'
import * as sites from '../../../model/sites/sites.ts'
import { word } from '../../api-call.ts'
import { select, text, textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { t } from '../../texts/texts.ts'
import { accountOf, namesOf, siteAddress, siteOf, type SiteSection } from './section.ts'
import { refuseLine, typedLines } from './typed-lines.ts'

const things = {
  more: (left: number) => t('sites.aliasRoomMore', { left }),
  so: (max: number) => t('sites.aliasRoomNumber', { max }),
  none: 'sites.aliasRoomNone',
} as const

// Further names of a website, and redirects of whole names.

const newAlias = {
  name: text('sites.nameLabel', siteDomain, {
    example: 'shop.example',
    hint: 'sites.nameHint',
    inputs: ['aliases'],
  }),
}

const oldAlias = { name: select('sites.nameLabel', siteDomain) }

type Redirect = { to: string; code: (typeof redirectCodes)[number]; keeps_path: boolean }

const drops = 'drop-path'

const parts = ['name', 'target', 'status']

/** One redirect per line, as `old.example https://example.com/ 301`. */
const redirectLines = typedLines<Redirect>(line => {
  const [from, to, ...more] = line.split(/\s+/)
  const keeps_path = !more.includes(drops)
  const [code = '301', ...others] = more.filter(one => one !== drops)
  const parsed = z
    .tuple([servedName, nameTarget, z.literal(redirectCodes)])
    .safeParse([from, to, Number(code)])
  if (parsed.success && others.length === 0) {
    return [parsed.data[0], { to: parsed.data[1], code: parsed.data[2], keeps_path }]
  }
  const [issue] = parsed.error?.issues ?? []
  return refuseLine(
    to === undefined || issue === undefined
      ? t('sites.needsNameTargetNothing')
      : `${parts[Number(issue.path[0])]} ${issue.message}`,
  )
})

const nameRedirects = {
  name_redirects: textarea('sites.nameRedirectsLabel', redirectLines, {
    example: 'old.example https://example.com/ 301',
    isPlural: true,
    hint: 'sites.nameRedirectsHint',
  }),
}

const formatRedirects = ({ name_redirects: all }: SiteView): string =>
  Object.entries(all)
    .map(([name, { to, code, keeps_path }]) =>
      [name, to, code, ...(keeps_path ? [] : [drops])].join(' '),
    )
    .join('\n')

/** Changes the names of a website. */
export const nameForms = (section: SiteSection) => {
  const { path, roles } = section
  const parent = (params: object) => siteAddress(section, params)
  const domainOf = (params: object) => namesOf(params).domain
  type Given = Parameters<SiteSection['usernameOf']>[0]
  const desired = (given: Given) => ({
    username: section.usernameOf(given),
    domain: domainOf(given.params),
  })
  const call = (params: object, option: string, name: unknown) => {
    const { username = 'USERNAME', domain } = namesOf(params)
    return { command: `panel site set ${word(username)} ${word(domain)} ${option} ${word(name)}` }
  }

  return {
    addAlias: form({
      path: `${path}/aliases/new`,
      roles,
      title: params => t('sites.addAliasDomain', { domain: domainOf(params) }),
      parent,
      fields: newAlias,
      async load(asked) {
        await siteOf(section, asked)
        const account = await accountOf(section, asked)
        const all = (await listShownSites(asked.pool, account)).flatMap(({ aliases }) => aliases)
        const { maxAliases: max, name } = account.package
        const room = roomFor(things, {
          ...{ has: all.length, max },
          ...(!section.isOwn && { packageName: name }),
        })
        const words = t('sites.websiteShownUnderName')
        return 'isIdle' in room ? room : { words: [words, ...room.words] }
      },
      submit: 'sites.addAlias',
      call: (params, values) => call(params, '--alias', values['name']),
      write: sites.set,
      toDesired: given => ({
        ...desired(given),
        change: {},
        aliases: { added: [given.values.name], removed: [] },
      }),
      flash: (_params, _answer, { name }) => t('sites.nameWasAddedSet', { name }),
    }),
    removeAlias: form({
      path: `${path}/aliases/remove`,
      roles,
      title: params => t('sites.removeAliasFromDomain', { domain: domainOf(params) }),
      parent,
      fields: oldAlias,
      async load(asked) {
        const { aliases } = await siteOf(section, asked)
        if (aliases.length === 0) return { words: [t('sites.websiteHasNoAliases')], isIdle: true }
        const words = t('sites.nameRedirectsGoOffline')
        return { words: [words], options: { name: aliases } }
      },
      submit: 'sites.removeAlias',
      isDanger: true,
      call: (params, values) => call(params, '--remove-alias', values['name']),
      write: sites.set,
      toDesired: given => ({
        ...desired(given),
        change: {},
        aliases: { added: [], removed: [given.values.name] },
      }),
      flash: (_params, _answer, { name }) => t('sites.nameWasRemoved', { name }),
    }),
    nameRedirects: form({
      path: `${path}/name-redirects`,
      roles,
      title: params => t('sites.redirectedNamesDomain', { domain: domainOf(params) }),
      parent,
      fields: nameRedirects,
      async load(asked) {
        const site = await siteOf(section, asked)
        const words = t('sites.websitesNamesServedNames', {
          servedNames: servedNames(site).join(', '),
        })
        return { words: [words], values: { name_redirects: formatRedirects(site) } }
      },
      submit: 'sites.save',
      write: sites.set,
      toDesired: given => ({ ...desired(given), change: given.values, isWhole: true }),
      flash: params => t('sites.savedDomain', { domain: domainOf(params) }),
    }),
  }
}
