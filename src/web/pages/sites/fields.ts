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
import { refuseLine, typedLines } from './typed-lines.ts'

// The fields of the forms about a website's settings.

export const serving = {
  document_root: text('Document root', documentRoot, {
    example: 'current/public',
    hint: 'The public folder below the website’s own. It has to exist.',
  }),
  fallback: select('Paths that are not a file', z.enum(fallbacks)),
  www: select('The name with www.', z.enum(wwwModes)),
}

export const servingOptions = {
  fallback: [
    { value: 'index.php', label: 'The nearest index.php above (most applications)' },
    { value: 'index.html', label: '/index.html (single-page applications)' },
    { value: 'none', label: 'Not found (404)' },
  ],
  www: [
    { value: 'serve', label: 'Shows the same website' },
    { value: 'redirect', label: 'Redirects to the name without www.' },
    { value: 'prefer', label: 'Is preferred: the name without www. redirects to it' },
    { value: 'off', label: 'Is not served' },
  ],
}

export const https = { https_only: checkbox('Redirect http:// to https://', z.boolean()) }

/** Says when the redirect to HTTPS starts, or that it is not taken back at once. */
export const httpsWords = ({ names, is_issuing }: ShownSite): string =>
  names !== null
    ? 'Browsers remember the redirect: after you switch it off, some keep using HTTPS.'
    : is_issuing
      ? 'The redirect starts once the website has a certificate; until then it is served over HTTP.'
      : 'Certificates are switched off on this server, so the website is served over HTTP.'

export const sources = {
  serves_sources: checkbox('Serve source files, copies of them and database dumps', z.boolean()),
}

/** Explains which source files become accessible, and which never do. */
export const sourcesWords: string[] = [
  'Anyone who guesses the name of such a file can read it, including database passwords: PHP ' +
    'with other extensions (.phtml, .inc, .phps), copies (config.php.bak, config.php~), dumps ' +
    '(.sql, .sql.gz), composer.json, and files that Composer installed into /vendor.',
  'Never served: names that begin with a dot (.env, .git, .htaccess), and wp-config.php, ' +
    'auth.json and their copies. Files with the extension .php are run and never shown.',
]

export const headers = {
  hsts_seconds: number('HTTPS only in browsers (HSTS)', z.int().min(0).max(maxHstsSeconds), {
    unit: 's',
    hint: 'Browsers that have seen the website use HTTPS only for this time; 0 turns it off.',
  }),
  nosniff: checkbox('X-Content-Type-Options: nosniff', z.boolean()),
  frame: select('X-Frame-Options', z.enum(['', ...frameOptions]).optional()),
  referrer: select('Referrer-Policy', z.enum(['', ...referrerPolicies]).optional()),
  csp: textarea('Content-Security-Policy', contentPolicy.optional(), {
    example: "default-src 'self'; img-src * data:",
    hint: 'Empty, none is sent. Hosts may be URLs; a nonce cannot be set here.',
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
  if (from === undefined) return refuseLine('needs a path and a target')
  const [issue] = parsed.error.issues
  return refuseLine(`${parts[Number(issue?.path[0])]} ${issue?.message}`)
})

export const redirects = {
  redirects: textarea('Redirects', redirectLines, {
    example: '/old https://example.com/new 301',
    hint:
      'One per line: a path, its target, and 301, 302, 307 or 308 (301 if left out). The target ' +
      'is a URL or a path of this website.',
  }),
}

export const formatRedirects = ({ redirects: all }: SiteView): string =>
  Object.entries(all)
    .map(([from, { to, code }]) => `${from} ${to} ${code}`)
    .join('\n')

export const protection = {
  protected_paths: textarea('Folders', listOf(protectedPaths), {
    example: '/admin',
    hint: 'One per line; / is the whole website. Empty, nothing asks for a password.',
    isPlural: true,
  }),
}

export const newUser = {
  name: text('Name', siteUser, { example: 'carol' }),
  password: password('Password', newPassword),
}

export const oldUser = { name: select('Name', siteUser) }
