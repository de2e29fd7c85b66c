import { z } from 'zod'
import { domain, linuxPasswordHash } from '../grammar/grammar.ts'
import { ChangingPhp, PhpSettings } from './php-settings.ts'
import { contentPolicy } from './content-policy.ts'
import { haveTooManyFolders, tooManyFolders } from './redirect-folders.ts'
import {
  documentRoot,
  nameTarget,
  protectedPaths,
  redirectSource,
  redirectTarget,
} from './site-grammar.ts'

// The settings of a website. A missing one has its default, so a new website has none. A change is
// a JSON merge patch (RFC 7396): what it leaves out is kept, and null restores the default.

/** The maximum number of redirects and of users of a website. */
export const maxRedirects = 200
export const maxUsers = 50

/**
 * The maximum number of further names: with its domain, and each with `www.`, a website has as many
 * names as authorities put on one certificate (Let's Encrypt, the default).
 */
export const maxSiteAliases = 49
const maxNames = 2 + 2 * maxSiteAliases

/** The maximum `max-age` of HSTS in seconds: two years. */
export const maxHstsSeconds = 63_072_000

export const fallbacks = ['index.php', 'index.html', 'none'] as const
export const wwwModes = ['serve', 'redirect', 'prefer', 'off'] as const
export const frameOptions = ['DENY', 'SAMEORIGIN'] as const
export const referrerPolicies = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const

export const redirectCodes = [301, 302, 307, 308] as const

const Redirect = z.strictObject({ to: redirectTarget, code: z.literal(redirectCodes) })

/** A redirect of a whole name; `keeps_path` adds the visitor's path and query to the target. */
const NameRedirect = z.strictObject({
  to: nameTarget,
  code: z.literal(redirectCodes),
  keeps_path: z.boolean(),
})

/** Names that browsers send with a password: no colon (RFC 7617, section 2). */
export const siteUser = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9@._-]{0,63}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, @, ., _ and -')

const HeaderSettings = z.strictObject({
  nosniff: z.literal(true).optional(),
  frame: z.enum(frameOptions).optional(),
  referrer: z.enum(referrerPolicies).optional(),
  csp: contentPolicy.optional(),
})

const redirects = z.record(redirectSource, Redirect)
const nameRedirects = z.record(domain, NameRedirect)

/** The stored settings of a website. */
export const SiteSettings = z.strictObject({
  /** Whether visitors using HTTP are redirected to HTTPS, once there is a certificate. */
  https_only: z.literal(true).optional(),
  /** Seconds for which browsers use HTTPS only (RFC 6797). */
  hsts_seconds: z.int().min(1).max(maxHstsSeconds).optional(),
  /** Whether visitors can download source files, copies of them and database dumps. */
  serves_sources: z.literal(true).optional(),
  /** The public folder, below the website's own. */
  document_root: documentRoot.optional(),
  /** Answers a path that is not a file; by default the nearest index.php above it does. */
  fallback: z.enum(['index.html', 'none']).optional(),
  /** The name with `www.`: redirected to the domain, preferred to it, or not served. */
  www: z.enum(['redirect', 'prefer', 'off']).optional(),
  redirects: redirects
    .refine(all => Object.keys(all).length <= maxRedirects, `must be at most ${maxRedirects}`)
    .refine(all => !haveTooManyFolders(all), tooManyFolders)
    .optional(),
  /** Redirects of whole names: of the domain, of a further name, or of either with `www.`. */
  name_redirects: nameRedirects
    .refine(all => Object.keys(all).length <= maxNames, `must be at most ${maxNames}`)
    .optional(),
  /** Folders that ask for a password; without any, the users are kept but nothing asks. */
  protected_paths: protectedPaths.optional(),
  /** The password hash of each user. */
  users: z
    .record(siteUser, linuxPasswordHash)
    .refine(all => Object.keys(all).length <= maxUsers, `must be at most ${maxUsers}`)
    .optional(),
  headers: HeaderSettings.optional(),
  /** The settings for which it has a PHP of its own. */
  php: PhpSettings.optional(),
})

export type SiteSettings = z.infer<typeof SiteSettings>

/**
 * Settings as show_sites.sql returns them: users without their hashes. While they are being
 * changed, they may be more than allowed, until the worker refuses the change (merged-settings.ts).
 */
export const ShownSettings = SiteSettings.extend({
  redirects: redirects.optional(),
  name_redirects: nameRedirects.optional(),
  users: z.array(z.string()).optional(),
  php: ChangingPhp.optional(),
})
