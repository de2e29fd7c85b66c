import { z } from 'zod'
import { password as newPassword } from '../../../model/grammar/grammar.ts'
import type { ShownSite } from '../../../model/sites/shown-sites.ts'
import { contentPolicy } from '../../../model/sites/content-policy.ts'
import type { SiteView } from '../../../model/sites/site-changes.ts'
import {
  documentRoot,
  protectedPaths,
  redirectSource,
  redirectTarget,
} from '../../../model/sites/site-grammar.ts'
import {
  fallbacks,
  frameOptions,
  maxHstsSeconds,
  redirectCodes,
  referrerPolicies,
  siteUser,
  wwwModes,
} from '../../../model/sites/site-settings.ts'
import { checkbox, listOf, number, password, select, text, textarea } from '../../fields.ts'
import { t } from '../../texts/texts.ts'
import { refuseLine, typedLines } from './typed-lines.ts'

// The fields of the forms about a website's settings.

export const serving = {
  document_root: text('sites.documentRootLabel', documentRoot, {
    example: 'current/public',
    hint: 'sites.documentRootHint',
  }),
  fallback: select('sites.fallbackLabel', z.enum(fallbacks)),
  www: select('sites.wwwLabel', z.enum(wwwModes)),
}

export const servingOptions = () => ({
  fallback: [
    { value: 'index.php', label: t('sites.nearestIndexPhpAbove') },
    { value: 'index.html', label: t('sites.singlePageApplications') },
    { value: 'none', label: t('sites.notFound404') },
  ],
  www: [
    { value: 'serve', label: t('sites.showsSameWebsite') },
    { value: 'redirect', label: t('sites.redirectsNameWithoutWww') },
    { value: 'prefer', label: t('sites.preferredNameWithoutWww') },
    { value: 'off', label: t('sites.notServed') },
  ],
})

export const https = { https_only: checkbox('sites.httpsOnlyLabel', z.boolean()) }

/** Says when the redirect to HTTPS starts, or that it is not taken back at once. */
export const httpsWords = ({ names, is_issuing }: ShownSite): string =>
  names !== null
    ? t('sites.browsersRememberRedirectAfter')
    : is_issuing
      ? t('sites.redirectStartsOnceWebsite')
      : t('sites.certificatesSwitchedOffServer')

export const sources = {
  serves_sources: checkbox('sites.servesSourcesLabel', z.boolean()),
}

/** Explains which source files become accessible, and which never do. */
export const sourcesWords = (): string[] => [
  t('sites.anyoneWhoGuessesName'),
  t('sites.neverServedNamesBegin'),
]

export const headers = {
  hsts_seconds: number('sites.hstsSecondsLabel', z.int().min(0).max(maxHstsSeconds), {
    unit: 'words.secondsUnit',
    hint: 'sites.hstsSecondsHint',
  }),
  nosniff: checkbox('sites.nosniffLabel', z.boolean()),
  frame: select('sites.frameLabel', z.enum(['', ...frameOptions]).optional()),
  referrer: select('sites.referrerLabel', z.enum(['', ...referrerPolicies]).optional()),
  csp: textarea('sites.cspLabel', contentPolicy.optional(), {
    example: "default-src 'self'; img-src * data:",
    hint: 'sites.cspHint',
  }),
}

type Redirect = { to: string; code: (typeof redirectCodes)[number] }

const parts = ['path', 'target', 'status']

/** One redirect per line, as `/old https://example.com/new 302`. */
const redirectLines = typedLines<Redirect>(line => {
  const [, from, to, code = '301'] = /^(\S.*?)\s+(\S+)(?:\s+([0-9]{3}))?$/.exec(line) ?? []
  const parsed = z
    .tuple([redirectSource, redirectTarget, z.literal(redirectCodes)])
    .safeParse([from, to, Number(code)])
  if (parsed.success) return [parsed.data[0], { to: parsed.data[1], code: parsed.data[2] }]
  if (from === undefined) return refuseLine(t('sites.needsPathTarget'))
  const [issue] = parsed.error.issues
  return refuseLine(`${parts[Number(issue?.path[0])]} ${issue?.message}`)
})

export const redirects = {
  redirects: textarea('sites.redirectsLabel', redirectLines, {
    example: '/old https://example.com/new 301',
    hint: 'sites.redirectsHint',
  }),
}

export const formatRedirects = ({ redirects: all }: SiteView): string =>
  Object.entries(all)
    .map(([from, { to, code }]) => `${from} ${to} ${code}`)
    .join('\n')

export const protection = {
  protected_paths: textarea('sites.protectedPathsLabel', listOf(protectedPaths), {
    example: '/admin',
    hint: 'sites.protectedPathsHint',
    isPlural: true,
  }),
}

export const newUser = {
  name: text('sites.nameLabel', siteUser, { example: 'carol' }),
  password: password('sites.passwordLabel', newPassword),
}

export const oldUser = { name: select('sites.nameLabel', siteUser) }
