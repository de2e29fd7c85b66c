import { createHash } from 'node:crypto'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { partsOf } from '../../model/sites/content-policy.ts'
import type { SiteSettings } from '../../model/sites/site-settings.ts'
import type { Drift, Machine } from '../contract.ts'
import {
  agrees,
  clearForFile,
  clearForFolder,
  ensureFile,
  ensureFolder,
  ensureLink,
  isFolder,
  isLinkTo,
  listNames,
  targetOf,
} from '../tools/files.ts'
import { at, numberOf } from './folders.ts'

// Settings of a website for nginx, which cannot read a value from a file for each website, but can
// resolve a link: each value is the name of a folder, and nginx reads the path that the link leads
// to. All settings of a website are in one folder, complete before a link leads to it, so that one
// rename changes all of them.
//
//   live/0000000437/set                   -> settings/<digest>, once it has had settings
//   settings/<digest>/values              -> v/<flags>/<hsts>/<frame>/<referrer>/<domain>/=p/…/=e
//   settings/<digest>/hosts/old.example/=to -> ../../t/301/keep/https/new.example=
//   settings/<digest>/paths/old/page/=to  -> ../../../t/301/https/new.example/page=
//   settings/<digest>/closed              -> c/:/data:/conf:/=e, folders closed by .htaccess files
//   settings/<digest>/users               names with password hashes, for the web server alone

type Site = {
  id: string
  domain: string
  settings?: SiteSettings | undefined
  aliases?: readonly string[] | undefined
  closed?: readonly string[] | undefined
}

const liveOf = ({ id }: Site): string => at('live', numberOf(id))
const folderOf = (site: Site): string => `${liveOf(site)}/settings`
const linkOf = (site: Site): string => `${liveOf(site)}/set`

/** Stands for an empty value, which cannot be the name of a folder. */
const none = '-'

function valuesOf(site: Site, settings: SiteSettings): string {
  const { hsts_seconds, headers, protected_paths: paths = [] } = settings
  const isWhole = paths.includes('/')
  const guarded = paths.filter(path => path !== '/').map(path => `${path}:`)
  const values = [
    flagsOf(site, settings, isWhole),
    String(hsts_seconds ?? none),
    headers?.frame ?? none,
    headers?.referrer ?? none,
    site.domain,
    ...(headers?.csp === undefined ? [] : [`=c/${policyFolder(headers.csp)}`]),
  ]
  // The list as nginx reads it: `:/admin:/intern/x:`.
  const list = isWhole || guarded.length === 0 ? '' : `/:${guarded.join('')}`
  return `${values.join('/')}/=p${list}/=e`
}

const slashMarks = ['b', 's', 'd'] as const

// A folder for each part, whose end says how many slashes follow: none, one or two.
const policyFolder = (policy: string): string =>
  `${partsOf(policy)
    .map(({ text, slashes }) => `${text}!${slashMarks[slashes]}`)
    .join('/')}/!e`

/** Letters that the maps of nginx-settings.ts look for. */
function flagsOf(site: Site, settings: SiteSettings, isWhole: boolean): string {
  const { serves_sources, fallback, www, redirects, protected_paths = [], headers } = settings
  const flags = [
    serves_sources && 's',
    fallback === 'index.html' && 'h',
    fallback === 'none' && 'n',
    www === 'redirect' && 'b',
    www === 'prefer' && 'w',
    Object.keys(redirects ?? {}).length > 0 && 'r',
    Object.keys(nameTargetsOf(site)).length > 0 && 'd',
    isWhole && 'a',
    protected_paths.length > 0 && !isWhole && 'p',
    headers?.nosniff && 'x',
    (site.closed ?? []).length > 0 && 'c',
  ]
  return `=${flags.filter(Boolean).join('')}`
}

// The target's own scheme, or that of the request for a path of the same website.
function targetFolder({ to, code }: { to: string; code: number }): string {
  const [, scheme = 'self', rest = to.slice(1)] = /^(https?):\/\/(.*)$/s.exec(to) ?? []
  return `t/${code}/${scheme}/${rest}=`
}

// Returns the folder that the link of each name leads to. Aliases follow the setting of `www`; the
// domain's own names do so by its flag.
function nameTargetsOf({ settings = {}, aliases = [] }: Site): Record<string, string> {
  const { www, name_redirects: redirects = {} } = settings
  const byWww = (from: (alias: string) => string, to: (alias: string) => string) =>
    aliases.map(alias => [from(alias), `t/301/keep/same/${to(alias)}=`] as const)
  const bare = (alias: string) => alias
  const prefixed = (alias: string) => `www.${alias}`
  return Object.fromEntries([
    ...(www === 'redirect' ? byWww(prefixed, bare) : []),
    ...(www === 'prefer' ? byWww(bare, prefixed) : []),
    ...Object.entries(redirects).map(([name, { to, code, keeps_path }]) => {
      const target = targetFolder({ to, code })
      const kept = target.replace(/^t\/[0-9]+\//, '$&keep/').replace(/\/=$/, '=')
      return [name, keeps_path ? kept : target] as const
    }),
  ])
}

type Tree = {
  digest: string
  folders: string[]
  links: [path: string, to: string][]
  users: string
}

/** Returns everything below the folder of settings; links are relative to it. */
function treeOf(site: Site): Tree {
  const settings = site.settings ?? {}
  const values = `v/${valuesOf(site, settings)}`
  const redirects = Object.entries(settings.redirects ?? {}).map(([path, redirect]) => ({
    folder: path === '/' ? 'paths' : `paths${path}`,
    target: targetFolder(redirect),
  }))
  const names = Object.entries(nameTargetsOf(site)).map(([name, target]) => ({
    folder: `hosts/${name}`,
    target,
  }))
  const users = Object.entries(settings.users ?? {}).map(([name, hash]) => `${name}:${hash}\n`)
  const closed = (site.closed ?? []).map(path => `${path}:`).join('')
  const closing = closed === '' ? [] : [`c/:${closed}/=e`]
  const links: Tree['links'] = [
    ['values', values],
    ...closing.map((to): [string, string] => ['closed', to]),
    ...[...redirects, ...names].map(({ folder, target }): [string, string] => [
      `${folder}/=to`,
      `${'../'.repeat(folder.split('/').length)}${target}`,
    ]),
  ]
  const folders = [
    values,
    ...closing,
    ...[...redirects, ...names].flatMap(({ folder, target }) => [folder, target]),
  ]
  const tree = { folders, links, users: users.join('') }
  const digest = createHash('sha256').update(JSON.stringify(tree)).digest('hex').slice(0, 32)
  return { ...tree, digest }
}

// The rest is in links of its own.
function isSet({ settings, closed = [] }: Site): boolean {
  const { https_only: _, document_root: __, php: ___, ...served } = settings ?? {}
  return closed.length > 0 || Object.keys(served).length > 0
}

/**
 * Makes nginx find the website's settings; returns the link that had to be changed. Once a website
 * has had settings, the link stays, as a request looks it up more than once.
 */
export async function ensureSettings(machine: Machine, site: Site): Promise<string[]> {
  const { path } = machine
  const [folder, link] = [path(folderOf(site)), linkOf(site)]
  const former = targetOf(path(link))
  if (!isSet(site) && former === undefined) return []
  const tree = treeOf(site)
  if (isComplete(machine, site, tree)) return []
  clearForFolder(folder)
  ensureFolder(folder, 0o755, machine.files.owner(0, 0))
  // A request may be using the former one; those before it are no longer needed.
  for (const name of listNames(folder)) {
    if (former !== `settings/${name}`) await rm(join(folder, name), { recursive: true })
  }
  const name = former === `settings/${tree.digest}` ? `${tree.digest}.again` : tree.digest
  // There may be thousands, during which the worker serves other accounts too.
  for (const one of tree.folders) await mkdir(join(folder, name, one), { recursive: true })
  for (const [one, to] of tree.links) await symlink(to, join(folder, name, one))
  const owner = machine.files.owner(0, 'web server')
  await ensureFile(join(folder, name, 'users'), tree.users, 0o640, owner)
  clearForFile(path(link))
  ensureLink(path(link), `settings/${name}`)
  return [link]
}

/** Returns how the settings that nginx finds differ. */
export function settingsDrift(machine: Machine, site: Site): (Drift | string)[] {
  const found = targetOf(machine.path(linkOf(site)))
  if (!isSet(site) && found === undefined) return []
  const tree = treeOf(site)
  if (isComplete(machine, site, tree)) return []
  const expected = `settings/${tree.digest}`
  return found === expected
    ? [`the settings of ${site.domain} are incomplete`]
    : [{ path: linkOf(site), expected, found }]
}

function isComplete(machine: Machine, site: Site, tree: Tree): boolean {
  const { path, files } = machine
  const found = targetOf(path(linkOf(site)))?.slice('settings/'.length)
  if (found !== tree.digest && found !== `${tree.digest}.again`) return false
  const folder = join(path(folderOf(site)), found)
  return (
    isFolder(path(folderOf(site))) &&
    isFolder(folder) &&
    tree.folders.every(one => isFolder(join(folder, one))) &&
    tree.links.every(([one, to]) => isLinkTo(join(folder, one), to)) &&
    agrees(join(folder, 'users'), tree.users, 0o640, files.owner(0, 'web server'))
  )
}
