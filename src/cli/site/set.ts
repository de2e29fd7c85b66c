import { Option, UsageError } from 'clipanion'
import { z } from 'zod'
import { set } from '../../model/sites/sites.ts'
import type { SiteChange, SiteView } from '../../model/sites/site-changes.ts'
import { contentPolicy } from '../../model/sites/content-policy.ts'
import {
  documentRoot,
  protectedPaths,
  redirectSource,
  redirectTarget,
} from '../../model/sites/site-grammar.ts'
import {
  fallbacks,
  frameOptions,
  maxHstsSeconds,
  redirectCodes,
  referrerPolicies,
  siteUser,
  wwwModes,
} from '../../model/sites/site-settings.ts'
import { completing } from '../completion/completers.ts'
import { newPassword } from '../password.ts'
import { wholeNumber, yesOrNo } from '../words.ts'
import { aliasChangeOf, NameOptionsCommand, nameRedirectsOf, nameWords } from './name-options.ts'
import { phpChangeOf } from './php-options.ts'
import { siteWords } from './words.ts'

const none = 'none'

// OLD=NEW: an address may contain further equals signs, a path on this server hardly does.
const redirect = z
  .string()
  .regex(/^[^=]+=./, 'must be PATH=URL, such as /old=https://example.com/new')
  .transform(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
  .pipe(z.tuple([redirectSource, redirectTarget]))

const Words = z.object({
  https_only: yesOrNo.optional(),
  hsts: wholeNumber.pipe(z.int().max(maxHstsSeconds)).optional(),
  serve_sources: yesOrNo.optional(),
  document_root: documentRoot.optional(),
  fallback: z.enum(fallbacks).optional(),
  www: z.enum(wwwModes).optional(),
  redirect: z.array(redirect),
  redirect_code: wholeNumber.pipe(z.literal(redirectCodes)).optional(),
  remove_redirect: z.array(redirectSource),
  protect: protectedPaths,
  user: siteUser.optional(),
  remove_user: z.array(siteUser),
  nosniff: yesOrNo.optional(),
  frame: z.enum([...frameOptions, none]).optional(),
  referrer: z.enum([...referrerPolicies, none]).optional(),
  csp: z.union([z.literal(none), contentPolicy]).optional(),
  ...nameWords,
})

export class SiteSetCommand extends NameOptionsCommand {
  static override summary = 'change settings of a website'
  static override details = `
    A setting without an option stays as it is; panel site show lists all of them. Visitors get
    a change with their next request.

    With --serve-sources yes anyone who guesses their names can read source files and dumps,
    including any passwords. Files with the extension .php are still run, and names that begin
    with a dot, wp-config.php and auth.json stay blocked.

    A protected folder asks for the name and password of one of the website's users. The password
    of --user is read from the terminal, or from standard input with --password-stdin.

    An alias is a further name of the website, with and without www. Its certificate covers each
    name once the name points to this server.

    A website with any setting of PHP has a PHP of its own. The word default restores the default
    of one.
  `
  static override examples = {
    'Serve over HTTPS only': '$0 alice shop.example --https-only yes',
    'Serve the current release of an application':
      '$0 alice shop.example --document-root current/public',
    'Redirect an old page': '$0 alice shop.example --redirect /old=https://example.com/new',
    'Serve the website under a second name': '$0 alice shop.example --alias shop.org.example',
    'Redirect a whole name':
      '$0 alice shop.example --name-redirect www.shop.example=https://new.example',
    'Run another version of PHP with more memory':
      '$0 alice shop.example --php-version 8.2 --php-memory 512',
    'Ask for a password': '$0 alice shop.example --protect /admin --user carol',
  }

  https_only = Option.String('--https-only', {
    description: 'whether HTTP is redirected to HTTPS, once there is a certificate: yes or no',
  })
  hsts = Option.String('--hsts', {
    description: 'seconds for which browsers use HTTPS only; 0 for none',
  })
  serve_sources = Option.String('--serve-sources', {
    description: 'whether to serve source files, their copies and dumps: yes or no',
  })
  document_root = Option.String('--document-root', {
    description: "the public folder below the website's own; by default public",
  })
  fallback = completing(
    fallbacks,
    Option.String('--fallback', {
      description: 'what answers a path that is not a file: index.php, index.html or none',
    }),
  )
  www = completing(
    wwwModes,
    Option.String('--www', {
      description:
        'the name with www.: serve, redirect (to the domain), prefer (to the domain) or off',
    }),
  )
  redirect = Option.Array('--redirect', [], {
    description: 'add a redirect from a path to a URL or path; can be repeated',
  })
  redirect_code = Option.String('--redirect-code', {
    description: 'the status of added redirects: 301, 302, 307 or 308; by default 301',
  })
  remove_redirect = Option.Array('--remove-redirect', [], {
    description: 'remove the redirect from this path; can be repeated',
  })
  protect = Option.Array('--protect', [], {
    description: 'protect this folder with a password; replaces the current list; can be repeated',
  })
  unprotect = Option.Boolean('--unprotect', false, { description: 'ask for no password' })
  user = Option.String('--user', { description: 'set the password of this user' })
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  })
  remove_user = Option.Array('--remove-user', [], {
    description: 'remove this user; can be repeated',
  })
  nosniff = Option.String('--nosniff', {
    description: 'whether to send X-Content-Type-Options: nosniff: yes or no',
  })
  frame = completing(
    [...frameOptions, none],
    Option.String('--frame', { description: 'X-Frame-Options: DENY, SAMEORIGIN or none' }),
  )
  referrer = completing(
    [...referrerPolicies, none],
    Option.String('--referrer', { description: 'Referrer-Policy, or none' }),
  )
  csp = Option.String('--csp', {
    description: 'Content-Security-Policy, such as "default-src \'self\'", or none',
  })

  async act() {
    const words = this.parse(Words)
    if (this.unprotect && words.protect.length > 0) {
      throw new UsageError('--unprotect and --protect exclude each other')
    }
    if (this.passwordStdin && words.user === undefined) {
      throw new UsageError('--password-stdin needs --user')
    }
    const { password, isGenerated } =
      words.user === undefined
        ? { password: undefined, isGenerated: false }
        : await newPassword(this.context, this.passwordStdin)
    const change = this.#changeOf(words, password)
    const aliases = aliasChangeOf(words)
    if (Object.keys(change).length === 0 && aliases === undefined)
      throw new UsageError('Give at least one setting')
    const made = isGenerated && password !== undefined ? { password } : undefined
    const desired = { ...this.desired(), change, ...(aliases && { aliases }) }
    return this.write<typeof desired, SiteView>(set, desired, siteWords, made)
  }

  #changeOf(words: z.output<typeof Words>, password: string | undefined): SiteChange {
    const { redirect_code: code = 301, user } = words
    const isRedirecting = words.redirect.length + words.remove_redirect.length > 0
    const added = words.redirect.map(([from, to]) => [from, { to, code }] as const)
    const removed = words.remove_redirect.map(from => [from, null] as const)
    const users = [
      ...words.remove_user.map(name => [name, null] as const),
      ...(user === undefined ? [] : [[user, password ?? null] as const]),
    ]
    const headers = {
      ...(words.nosniff !== undefined && { nosniff: words.nosniff }),
      ...(words.frame !== undefined && { frame: words.frame === none ? null : words.frame }),
      ...(words.referrer !== undefined && {
        referrer: words.referrer === none ? null : words.referrer,
      }),
      ...(words.csp !== undefined && { csp: words.csp === none ? null : words.csp }),
    }
    const names = nameRedirectsOf(words, this.drop_path)
    const php = phpChangeOf(words, this.php_reset)
    return {
      ...(words.https_only !== undefined && { https_only: words.https_only }),
      ...(words.hsts !== undefined && { hsts_seconds: words.hsts }),
      ...(words.serve_sources !== undefined && { serves_sources: words.serve_sources }),
      ...(words.document_root !== undefined && { document_root: words.document_root }),
      ...(words.fallback !== undefined && { fallback: words.fallback }),
      ...(words.www !== undefined && { www: words.www }),
      ...(isRedirecting && { redirects: Object.fromEntries([...removed, ...added]) }),
      ...(this.unprotect && { protected_paths: null }),
      ...(words.protect.length > 0 && { protected_paths: words.protect }),
      ...(users.length > 0 && { users: Object.fromEntries(users) }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(names !== undefined && { name_redirects: names }),
      ...(php !== undefined && { php }),
    }
  }
}
