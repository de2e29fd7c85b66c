import { PanelError } from '../../errors.ts'

// Rules for redirects of whole names, which need to know all names of the website.

type Www = 'serve' | 'redirect' | 'prefer' | 'off'
type Redirect = { to: string; keeps_path: boolean }

type Names = {
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
 * @throws {PanelError} `invalid` for a name that the website does not have, a target with a query
 * to which a path would be added, and a redirect that would lead back
 */
export function patchNames(
  before: Names,
  { name_redirects: change, www }: Change,
  aliases: AliasChange | undefined,
): object | undefined {
  const after = namesAfter(before, www, aliases)
  const names = new Set(servedNames(after))
  for (const [name, redirect] of Object.entries(change ?? {})) {
    if (redirect === null) continue
    if (!names.has(name)) refuse(`${name} is not a name of the website`)
    if (redirect.keeps_path && /[?#]/.test(redirect.to)) {
      refuse(`${name}: a path cannot be added to an address with a query or a fragment`)
    }
  }
  const kept = change === null ? {} : { ...before.name_redirects, ...change }
  const gone = Object.keys(kept).filter(name => !names.has(name) && name in before.name_redirects)
  const all = Object.entries(kept).filter(([name]) => names.has(name))
  const redirects = Object.fromEntries(all)
  // Any of these can close a loop with a redirect that was there before.
  const field = change ? 'name_redirects' : aliases === undefined ? 'www' : 'aliases'
  if (change || www !== undefined || aliases !== undefined) {
    for (const name of Object.keys(redirects)) refuseLoop(name, redirects, after, field)
  }
  if (change === null) return { name_redirects: null }
  if (change === undefined && gone.length === 0) return undefined
  return { name_redirects: { ...change, ...Object.fromEntries(gone.map(one => [one, null])) } }
}

/** Returns all names of a website after a change, those with `www.` too. */
export const namesAfterChange = (
  before: Names,
  www: Change['www'],
  aliases: AliasChange | undefined,
): Set<string> => new Set(servedNames(namesAfter(before, www, aliases)))

const namesAfter = (
  before: Names,
  www: Change['www'],
  aliases: AliasChange | undefined,
): After => ({
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

type After = Pick<Names, 'domain' | 'www' | 'aliases'>

/** Returns the names that a website is served under, its domain first, each before its `www.` */
export const servedNames = ({ domain, www, aliases }: After): string[] =>
  [domain, ...aliases].flatMap(name => (www === 'off' ? [name] : [name, `www.${name}`]))

type Redirects = Readonly<Record<string, { to: string } | null>>

function refuseLoop(start: string, redirects: Redirects, after: After, field: string): void {
  const seen = new Set<string>()
  for (let name: string | undefined = start; name !== undefined;) {
    if (seen.has(name)) refuse(`the redirect of ${start} would lead back to it`, field)
    seen.add(name)
    const redirect: { to: string } | null | undefined = redirects[name]
    name = redirect ? new URL(redirect.to).hostname : preferred(name, after)
  }
}

/** Returns the name that the setting of `www` redirects a name to. */
function preferred(name: string, { www, domain, aliases }: After): string | undefined {
  const bare = [domain, ...aliases]
  if (www === 'prefer' && bare.includes(name)) return `www.${name}`
  const isWww = name.startsWith('www.') && bare.includes(name.slice(4))
  return www === 'redirect' && isWww ? name.slice(4) : undefined
}

function refuse(words: string, field = 'name_redirects'): never {
  throw new PanelError('invalid', words, { field })
}
