import { PanelError } from '../../errors.ts'

// Rules for redirects of whole names, which need to know all names of the website.

type Www = 'serve' | 'redirect' | 'prefer' | 'off'
type Redirect = { to: string; keeps_path: boolean }

export type Names = {
  domain: string
  www: Www
  aliases: readonly string[]
  name_redirects: Readonly<Record<string, Redirect>>
}

type Change = {
  www?: Www | null | undefined
  name_redirects?: Readonly<Record<string, Redirect | null>> | null | undefined
}

/** A change of further names: `removed` is null for all others. */
export type AliasChange = { added: readonly string[]; removed: readonly string[] | null }

/**
 * Returns the patch of the redirects of names that follows from a change: those of removed names
 * are removed.
 *
 * @throws {PanelError} `invalid` for a name that the website does not have, for a target with a
 * query to which a path would be added, and if a name with `www.` that is switched off has a
 * redirect
 */
export function patchNames(
  before: Names,
  { name_redirects: change, www }: Change,
  aliases: AliasChange | undefined,
): { patch: object; after: Names } {
  const own = namesAfter(before, www, aliases)
  const names = new Set(servedNames(own))
  for (const [name, redirect] of Object.entries(change ?? {})) {
    if (redirect === null) continue
    if (!names.has(name)) refuse(`${name} is not a name of the website`)
    if (redirect.keeps_path && /[?#]/.test(redirect.to)) {
      refuse(`${name}: a path cannot be added to an address with a query or a fragment`)
    }
  }
  const kept = Object.entries(
    change === null ? {} : { ...before.name_redirects, ...change },
  ).flatMap(([name, redirect]) => (redirect === null ? [] : [[name, redirect] as const]))
  const gone = kept.map(([name]) => name).filter(name => !names.has(name))
  // A switch may be turned back, unlike the removal of an alias.
  const unserved = new Set(servedNames({ ...own, www: 'serve' }))
  if (www === 'off') for (const name of gone) if (unserved.has(name)) refuseRemaining(name, 'www')
  const after = {
    ...own,
    name_redirects: Object.fromEntries(kept.filter(([name]) => names.has(name))),
  }
  if (change === null) return { patch: { name_redirects: null }, after }
  if (change === undefined && gone.length === 0) return { patch: {}, after }
  const patch = { ...change, ...Object.fromEntries(gone.map(one => [one, null])) }
  return { patch: { name_redirects: patch }, after }
}

/**
 * Refuses redirects of whole names that lead back, or whose name the website does not have.
 *
 * @param field the setting that is changed
 * @throws {PanelError} `invalid`
 */
export function refuseNameRedirects(after: Names, field: Field): void {
  const names = new Set(servedNames(after))
  for (const name of Object.keys(after.name_redirects)) {
    if (!names.has(name) && field !== 'name_redirects') refuseRemaining(name, field)
    if (!names.has(name)) refuse(`${name} is not a name of the website`)
    refuseLoop(name, after.name_redirects, after, field)
  }
}

const namesAfter = (before: Names, www: Change['www'], aliases: AliasChange | undefined): Own => ({
  domain: before.domain,
  www: www ?? (www === null ? 'serve' : before.www),
  aliases: aliasesAfter(before.aliases, aliases),
})

function aliasesAfter(before: readonly string[], change: AliasChange | undefined): string[] {
  if (change === undefined) return [...before]
  const { added, removed } = change
  const kept = removed === null ? [] : before.filter(name => !removed.includes(name))
  return [...kept, ...added]
}

type Own = Pick<Names, 'domain' | 'www' | 'aliases'>

/** Returns the names that a website is served under, its domain first, each before its `www.` */
export const servedNames = ({ domain, www, aliases }: Own): string[] =>
  [domain, ...aliases].flatMap(name => (www === 'off' ? [name] : [name, `www.${name}`]))

type Redirects = Readonly<Record<string, { to: string } | null>>

function refuseLoop(start: string, redirects: Redirects, after: Own, field: Field): void {
  const seen = new Set<string>()
  for (let name: string | undefined = start; name !== undefined;) {
    if (seen.has(name)) refuse(`the redirect of ${start} would lead back to it`, field)
    seen.add(name)
    const redirect: { to: string } | null | undefined = redirects[name]
    name = redirect ? new URL(redirect.to).hostname : preferred(name, after)
  }
}

/** Returns the name that the setting of `www` redirects a name to. */
function preferred(name: string, { www, domain, aliases }: Own): string | undefined {
  const bare = [domain, ...aliases]
  if (www === 'prefer' && bare.includes(name)) return `www.${name}`
  const isWww = name.startsWith('www.') && bare.includes(name.slice(4))
  return www === 'redirect' && isWww ? name.slice(4) : undefined
}

type Field = 'name_redirects' | 'aliases' | 'www'

const refuseRemaining = (name: string, field: Field): never =>
  refuse(`${name} has a redirect: remove the redirect first`, field)

function refuse(words: string, field: Field = 'name_redirects'): never {
  throw new PanelError('invalid', words, { field })
}
