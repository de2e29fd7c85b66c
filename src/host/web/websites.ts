import * as fs from 'node:fs'
import { basename, dirname } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import { publicFolderOf } from '../accounts/home.ts'
import type { Act, Drift, Machine, Resource } from '../contract.ts'
import { phpLimitSeconds } from '../php/limits.ts'
import { sitePhpOf, socketOf } from '../php/instances.ts'
import { isVersionMissing } from '../php/linux-php.ts'
import { phpOf } from '../php/site-php.ts'
import {
  agrees,
  clearForFile,
  clearForFolder,
  ensureFile,
  ensureFolder,
  ensureLink,
  isFolder,
  isFolderSo,
  isLinkTo,
  isThere,
  removeFile,
  targetOf,
  type Owner,
} from '../tools/files.ts'
import { at, certificateOf, freshFolder, numberOf, webFolder } from './folders.ts'
import { missingPhpOf } from './missing-php.ts'
import { certifiedOf, readServed } from './served-certificate.ts'
import { ensureSettings, settingsDrift } from './site-settings.ts'
import { whyDown } from '../services/not-running.ts'

// nginx's view of the account's websites: links in folders that it follows at each request
// (folders.ts). One rename switches a website, and the next visitor sees it; nothing is tested or
// reloaded, so no website can affect another.

/** The account's websites, as visitors see them. */
export const websites: Resource = {
  name: 'websites',
  whyDown: whyDown('nginx'),
  ensure: ensureWebsites,
  remove: (machine, { sites, deleting }) => unname(machine, [...sites, ...deleting]),
  removeDeleted: (machine, { deleting }) => clear(machine, deleting),
  drift: machine => account => [
    ...account.sites.flatMap(site => websiteDrift(machine, account, site)),
    ...account.deleting
      .filter(site => linksTo(machine, site).length > 0)
      .map(({ domain }) => `the website ${domain} is still served`),
  ],
}

/** Removes the folders of deleted websites, to which no name leads any more. */
export const clearWebsites: Act = (machine, { sites, deleting }) =>
  clear(machine, [...sites, ...deleting])

type Site = HostAccount['sites'][number]

/** Makes nginx serve the account's sites, or show them as suspended; deleted sites are removed. */
export async function ensureWebsites(
  machine: Machine,
  account: HostAccount,
): Promise<Warning | void> {
  const { sites, deleting } = account
  if (sites.length + deleting.length === 0) return
  // Changes of an interrupted run may not be durable yet, so these are always synced.
  const changed = new Set([`${webFolder}/sites`, `${webFolder}/names`])
  for (const site of sites) {
    for (const path of await ensureWebsite(machine, account, site)) changed.add(dirname(path))
  }
  await unname(machine, deleting)
  await machine.sync(...changed)
  return machine.services.check('nginx')
}

// Makes the links to the website from its end to its name, so that a name never leads nowhere.
// Returns what had to be made.
async function ensureWebsite(
  machine: Machine,
  account: HostAccount,
  site: Site,
): Promise<string[]> {
  const text = readServed(machine, site.id)
  const certified = certifiedOf(text, namesOf(site))
  const way = wayOf(machine, account, site, certified)
  const roots = machine.files.owner(0, 0)
  const made = foldersOf(account, site, way).filter(folder => {
    clearForFolder(machine.path(folder))
    return ensureFolder(machine.path(folder), 0o755, roots)
  })
  if (text !== undefined) {
    const file = machine.path(certificateOf(site.id))
    clearForFile(file)
    await ensureFile(file, text, 0o640, machine.files.owner(0, 'web server'))
  }
  const settings = await ensureSettings(machine, site)
  const fresh = machine.path(`${freshFolder}/${numberOf(site.id)}`)
  const links = linksOf(machine, account, site, certified).filter(({ path, to, owner }) => {
    clearForFile(machine.path(path))
    return ensureLink(machine.path(path), to, { owner, fresh })
  })
  // Removed last, so that a visitor always finds one of the two.
  const left = way.former.filter(path => isThere(machine.path(path)))
  for (const path of left) fs.rmSync(machine.path(path), { recursive: true })
  const names = [...unservedNames(machine, site), ...uncertifiedLinks(machine, site, certified)]
  for (const name of names) fs.rmSync(name)
  if (names.length > 0) await machine.sync(at('names', ''), at('tls', ''))
  return [...made, ...settings, ...links.map(({ path }) => path), ...left]
}

type Way = {
  /** Whether HTTP is served; if not, visitors of certified names are redirected to HTTPS. */
  hasHttp: boolean
  /** Folders that represent settings to nginx. */
  markers: string[]
  /** Folders of settings that are switched off. */
  former: string[]
}

function wayOf(
  machine: Machine,
  { limits }: HostAccount,
  site: Site,
  certified: readonly string[],
): Way {
  const { id, settings } = site
  const live = at('live', numberOf(id))
  const isMissing = isVersionMissing(machine, settings?.php)
  const [https, http] = [`${live}/https-only`, `${live}/http`]
  // Without a certificate there is no HTTPS to redirect to.
  const hasHttp = !(settings?.https_only && certified.length > 0)
  const hasUsualLimit = limits.phpExecutionSeconds === phpLimitSeconds
  return {
    hasHttp,
    markers: [...(hasHttp ? [] : [https]), ...(isMissing ? [missingPhpOf(id)] : [])],
    former: [
      hasHttp ? https : http,
      ...(isMissing ? [] : [missingPhpOf(id)]),
      ...(hasUsualLimit ? [`${live}/limit`] : []),
    ],
  }
}

// Both always exist, so that only the switch decides, and visits may be in progress.
function foldersOf({ limits }: HostAccount, { id }: Site, { markers }: Way): string[] {
  const [live, suspended] = [at('live', numberOf(id)), at('suspended', numberOf(id))]
  const { phpExecutionSeconds: seconds } = limits
  const limited = seconds === phpLimitSeconds ? [] : [at('limits', limitName(seconds))]
  return [live, suspended, `${suspended}/suspended`, ...markers, ...limited]
}

// A name of three digits, which nginx compares with the time that a script has taken.
const limitName = (seconds: number): string => String(seconds).padStart(3, '0')

type Link = { path: string; to: string; owner?: Owner | undefined }

function linksOf(
  machine: Machine,
  account: HostAccount,
  site: Site,
  certified: readonly string[],
): Link[] {
  const { username, uid, desired, limits } = account
  const number = numberOf(site.id)
  const live = at('live', number)
  const target = publicFolderOf(username, site)
  // Owned by the account, as nginx serves through a link only files of the link's owner.
  const owner = machine.files.owner(uid, uid)
  const { hasHttp } = wayOf(machine, account, site, certified)
  const php = phpOf(machine, account, site) === undefined ? uid : sitePhpOf(uid, site.id)
  const { phpExecutionSeconds: seconds } = limits
  return [
    ...(hasHttp ? [{ path: `${live}/http`, to: target, owner }] : []),
    { path: `${live}/https`, to: target, owner },
    { path: `${live}/php.sock`, to: socketOf(php) },
    ...(seconds === phpLimitSeconds
      ? []
      : [{ path: `${live}/limit`, to: `../../limits/${limitName(seconds)}` }]),
    {
      path: at('sites', number),
      to: `../${desired === 'active' ? 'live' : 'suspended'}/${number}`,
    },
    ...certified.map(name => ({ path: at('tls', name), to: `../certs/${number}.pem` })),
    ...namesOf(site).map(name => ({ path: at('names', name), to: `../sites/${number}` })),
  ]
}

type Named = Pick<Site, 'id' | 'domain' | 'settings' | 'aliases' | 'formerAliases'>

const withWww = (names: readonly string[]): string[] => names.flatMap(one => [one, `www.${one}`])

/** Returns all names of a website, its domain first. */
export const allNamesOf = ({ domain, aliases = [] }: Named): string[] =>
  withWww([domain, ...aliases])

const namesOf = (site: Named): string[] =>
  site.settings?.www === 'off' ? [site.domain, ...(site.aliases ?? [])] : allNamesOf(site)

// Names that the website no longer has, or that are switched off, and that still lead to it.
function unservedNames(machine: Machine, site: Site): string[] {
  const { domain, settings, aliases = [], formerAliases = [] } = site
  const off = settings?.www === 'off' ? [domain, ...aliases].map(name => `www.${name}`) : []
  return linksTo(machine, site, [...off, ...withWww(formerAliases)])
}

// Links to the certificate for names that it is not for: one that points elsewhere has none.
const uncertifiedLinks = (machine: Machine, site: Site, certified: readonly string[]): string[] =>
  namesOf(site)
    .filter(name => !certified.includes(name))
    .flatMap(name => certificateLinks(machine, site, name))

const certificateLinks = ({ path }: Machine, { id }: Named, name: string): string[] =>
  [path(at('tls', name))].filter(link => targetOf(link) === `../certs/${numberOf(id)}.pem`)

// Names that lead to the website; those that lead elsewhere belong to another by now.
const linksTo = (
  machine: Machine,
  site: Named,
  names = [...allNamesOf(site), ...withWww(site.formerAliases ?? [])],
): string[] =>
  names.flatMap(name => [
    ...[machine.path(at('names', name))].filter(
      link => targetOf(link) === `../sites/${numberOf(site.id)}`,
    ),
    ...certificateLinks(machine, site, name),
  ])

async function unname(machine: Machine, sites: readonly Named[]): Promise<void> {
  const links = sites.flatMap(site => linksTo(machine, site))
  for (const link of links) fs.rmSync(link)
  if (links.length > 0) await machine.sync(at('names', ''), at('tls', ''))
}

async function clear(machine: Machine, sites: readonly Named[]): Promise<void> {
  if (sites.length === 0) return
  await unname(machine, sites)
  await removeFolders(
    machine,
    sites.map(({ id }) => id),
  )
}

/** Removes the folders of websites, by their numbers, once no name leads to them. */
export async function removeFolders(machine: Machine, siteIds: readonly string[]): Promise<void> {
  for (const id of siteIds) {
    removeFile(machine.path(at('sites', numberOf(id))))
    removeFile(machine.path(certificateOf(id)))
    for (const part of ['live', 'suspended'] as const) {
      fs.rmSync(machine.path(at(part, numberOf(id))), { recursive: true, force: true })
    }
  }
  await machine.sync(
    ...(['sites', 'certs', 'live', 'suspended'] as const).map(part => at(part, '')),
  )
}

function websiteDrift(machine: Machine, account: HostAccount, site: Site): (Drift | string)[] {
  const { path, files } = machine
  const text = readServed(machine, site.id)
  const owner = files.owner(0, 'web server')
  const certified = certifiedOf(text, namesOf(site))
  const way = wayOf(machine, account, site, certified)
  const isProven = text === undefined || agrees(path(certificateOf(site.id)), text, 0o640, owner)
  return [
    ...foldersOf(account, site, way)
      .filter(folder => !isFolderSo(path(folder), 0o755, files.owner(0, 0)))
      .map(folder =>
        isFolder(path(folder)) ? `the folder ${folder} differs` : `there is no folder ${folder}`,
      ),
    ...way.former
      .filter(former => isThere(path(former)))
      .map(former => `requests for ${site.domain} still go through ${former}`),
    ...settingsDrift(machine, site),
    ...unservedNames(machine, site).map(link => `${basename(link)} is still served`),
    ...uncertifiedLinks(machine, site, certified).map(
      link => `HTTPS of ${basename(link)} is served without a certificate for it`,
    ),
    ...(isProven ? [] : [`the certificate of ${site.domain} is not served`]),
    ...linksOf(machine, account, site, certified)
      .filter(link => !isLinkTo(path(link.path), link.to, link.owner))
      .map(link => ({ path: link.path, expected: link.to, found: targetOf(path(link.path)) })),
  ]
}
