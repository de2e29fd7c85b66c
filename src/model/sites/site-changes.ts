import { z } from 'zod'
import { type Db } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { leftOut, password, servedName, siteDomain } from '../grammar/grammar.ts'
import { hashForSite } from '../signing-in/linux-password.ts'
import { PhpChange, phpAfter, PhpView, toPhpPatch, toPhpView } from './php-changes.ts'
import { listShownSites, type ShownSite } from './shown-sites.ts'
import { contentPolicy } from './content-policy.ts'
import { merge } from './merge-patch.ts'
import { refuseMerged, tooMany } from './merged-settings.ts'
import { patchNames, type AliasChange } from './name-redirects.ts'
import {
  documentRoot,
  nameTarget,
  protectedPaths,
  redirectSource,
  redirectTarget,
} from './site-grammar.ts'
import {
  fallbacks,
  frameOptions,
  maxSiteAliases,
  maxHstsSeconds,
  maxUsers,
  redirectCodes,
  referrerPolicies,
  ShownSettings,
  siteUser,
  wwwModes,
} from './site-settings.ts'

// Settings of a website as callers send and read them: with every default written out, and with
// passwords that only go in.

const kept = 'Left out, it keeps its value'
const orDefault = <Schema extends z.ZodType>(schema: Schema, text: string) =>
  leftOut(schema).describe(`${text}. ${kept}; null restores the default`)

/** A change of settings, a JSON merge patch (RFC 7396). */
export const SiteChange = z.strictObject({
  https_only: orDefault(z.boolean(), 'Whether HTTP is redirected to HTTPS'),
  hsts_seconds: orDefault(
    z.int().min(0).max(maxHstsSeconds),
    'Seconds for which browsers use HTTPS only (`Strict-Transport-Security`), 0 for none',
  ),
  serves_sources: orDefault(z.boolean(), 'Whether source files and dumps can be downloaded'),
  document_root: orDefault(documentRoot, "The public folder below the website's own"),
  fallback: orDefault(z.enum(fallbacks), 'What answers a path that is not a file'),
  www: orDefault(
    z.enum(wwwModes),
    'The name with `www.`: served like the domain, redirected to it, preferred to it, or off',
  ),
  aliases: orDefault(
    z.array(siteDomain).max(maxSiteAliases, `must be at most ${maxSiteAliases}`),
    'All further names of the website, each served with `www.` too',
  ),
  name_redirects: orDefault(
    z.record(
      servedName,
      z
        .strictObject({
          to: nameTarget,
          code: z.literal(redirectCodes).default(301),
          keeps_path: z.boolean().default(true),
        })
        .nullable(),
    ),
    'Redirects of whole names of the website; null removes one',
  ),
  redirects: orDefault(
    z.record(
      redirectSource,
      z
        .strictObject({ to: redirectTarget, code: z.literal(redirectCodes).default(301) })
        .nullable(),
    ),
    'Redirects by path; null removes one',
  ),
  protected_paths: orDefault(protectedPaths, 'Folders that ask for a password'),
  users: orDefault(
    z.record(siteUser, password.nullable()),
    'Passwords by user name for the protected folders; null removes a user',
  ),
  headers: orDefault(
    z.strictObject({
      nosniff: z.boolean().nullish(),
      frame: z.enum(frameOptions).nullish(),
      referrer: z.enum(referrerPolicies).nullish(),
      csp: contentPolicy.nullish().describe('`Content-Security-Policy`'),
    }),
    'Security headers for answers that have none of their own',
  ),
  php: orDefault(PhpChange, 'Settings of PHP: a website with any has a PHP of its own'),
})

export type SiteChange = z.infer<typeof SiteChange>

/** A website with its settings, as answers show it. */
export const SiteView = z.strictObject({
  domain: z.string(),
  ssl: z.enum(['none', 'pending', 'issued', 'failed']),
  https_only: z.boolean(),
  hsts_seconds: z.int(),
  serves_sources: z.boolean(),
  document_root: z.string(),
  fallback: z.enum(fallbacks),
  www: z.enum(wwwModes),
  aliases: z.array(z.string()).describe('Further names'),
  name_redirects: z.record(
    z.string(),
    z.strictObject({
      to: z.string(),
      code: z.literal(redirectCodes),
      keeps_path: z.boolean().describe("Whether the visitor's path is added"),
    }),
  ),
  redirects: z.record(
    z.string(),
    z.strictObject({ to: z.string(), code: z.literal(redirectCodes) }),
  ),
  protected_paths: z.array(z.string()),
  users: z.array(z.string()).describe('Names of users'),
  headers: z.strictObject({
    nosniff: z.boolean(),
    frame: z.enum(frameOptions).nullable(),
    referrer: z.enum(referrerPolicies).nullable(),
    csp: z.string().nullable(),
  }),
  php: PhpView,
})

export type SiteView = z.infer<typeof SiteView>

/** The default of each setting that has one value. */
export const defaults = {
  https_only: false,
  hsts_seconds: 0,
  serves_sources: false,
  document_root: 'public',
  fallback: 'index.php',
  www: 'serve',
} as const

/** Converts a website's row to its form in answers. */
export const toSiteView = ({ ssl, ...site }: Shown & Pick<ShownSite, 'ssl'>): SiteView => ({
  ...{ domain: site.domain, ssl },
  ...toSettingsView(site),
})

type Shown = Pick<ShownSite, 'domain' | 'aliases' | 'settings'>

/** The same without the state of its certificate. */
export function toSettingsView({ domain, aliases, settings }: Shown) {
  const set = ShownSettings.parse(settings)
  const { https_only, hsts_seconds, serves_sources, document_root, fallback, www } = set
  return {
    domain,
    https_only: https_only ?? defaults.https_only,
    hsts_seconds: hsts_seconds ?? defaults.hsts_seconds,
    serves_sources: serves_sources ?? defaults.serves_sources,
    document_root: document_root ?? defaults.document_root,
    fallback: fallback ?? defaults.fallback,
    www: www ?? defaults.www,
    aliases,
    name_redirects: set.name_redirects ?? {},
    redirects: set.redirects ?? {},
    protected_paths: set.protected_paths ?? [],
    users: set.users ?? [],
    headers: {
      nosniff: set.headers?.nosniff ?? false,
      frame: set.headers?.frame ?? null,
      referrer: set.headers?.referrer ?? null,
      csp: set.headers?.csp ?? null,
    },
    php: toPhpView(set.php),
  }
}

/** Lists the websites of an account with their settings, the oldest first. */
export const listSites = async (db: Db, account: { id: string }): Promise<SiteView[]> =>
  (await listShownSites(db, account)).filter(({ state }) => state !== 'adding').map(toSiteView)

/** @throws {PanelError} `website_unknown` */
export async function findSite(
  db: Db,
  account: { id: string },
  domain: string,
): Promise<SiteView & { id: string }> {
  const found = (await listShownSites(db, account)).find(one => one.domain === domain)
  if (found === undefined || found.state === 'adding') throw unknown(domain)
  return { id: found.id, ...toSiteView(found) }
}

export const unknown = (domain: string): PanelError =>
  new PanelError('website_unknown', `Unknown website: ${domain}`)

export type Hashes = ReadonlyMap<string, string>

/** Hashes the passwords of a change, for `toPatch`. */
export async function hashUsers({ users }: SiteChange): Promise<Hashes> {
  const given = Object.entries(users ?? {})
  if (given.length > maxUsers) throw tooMany('users', maxUsers)
  const hashed = given.map(async ([name, text]): Promise<[string, string]> => [
    name,
    text === null ? '' : await hashForSite(text),
  ])
  return new Map(await Promise.all(hashed))
}

/** Returns the change with every other redirect of its kind removed. */
export function whole({ redirects, name_redirects, ...change }: SiteChange, before: SiteView) {
  const without = (all: object) => Object.fromEntries(Object.keys(all).map(from => [from, null]))
  return {
    ...change,
    ...(redirects && { redirects: { ...without(before.redirects), ...redirects } }),
    ...(name_redirects && {
      name_redirects: { ...without(before.name_redirects), ...name_redirects },
    }),
  } satisfies SiteChange
}

/**
 * Converts a change to the patch of the stored settings: a default is stored as nothing. Further
 * names are not among them.
 *
 * @throws {PanelError} `invalid` if it changes nothing, or if the result would break a rule
 */
export function toPatch(
  change: SiteChange,
  hashes: Hashes,
  before: SiteView,
  aliases?: AliasChange,
): object {
  const { users, protected_paths, headers, php, aliases: _, name_redirects: __, ...rest } = change
  const names = patchNames(before, change, aliases)
  const single = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, value === (defaults as Record<string, unknown>)[name] ? null : value] as const],
  )
  const patch = {
    ...Object.fromEntries(single),
    ...(users === null && { users }),
    ...(users && {
      users: Object.fromEntries([...hashes].map(([name, hash]) => [name, hash || null])),
    }),
    ...(protected_paths !== undefined && {
      protected_paths: protected_paths?.length === 0 ? null : [...new Set(protected_paths)],
    }),
    ...(headers !== undefined && {
      headers: headers && { ...headers, ...(headers.nosniff === false && { nosniff: null }) },
    }),
    ...(php !== undefined && { php: php && toPhpPatch(php) }),
    ...names.patch,
  }
  if (Object.keys(patch).length === 0 && aliases === undefined) {
    throw new PanelError('invalid', 'Nothing to change: send at least one setting')
  }
  const after = {
    ...names.after,
    redirects: merge(before.redirects, change.redirects),
    users: Object.keys(
      merge<unknown>(Object.fromEntries(before.users.map(one => [one, one])), users),
    ),
    php: phpAfter(before.php, php),
  }
  const changed = Object.entries({ ...change, aliases }).filter(([, value]) => value !== undefined)
  refuseMerged(
    after,
    changed.map(([name]) => name),
  )
  return patch
}
