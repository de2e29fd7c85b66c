import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Warning } from '../../model/accounts/warnings.ts'
import { publicFolderOf } from '../accounts/home.ts'
import type { Act, Drift, Machine, Resource } from '../contract.ts'
import { socketOf } from '../php/unit.ts'
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
import { readServed } from './served-certificate.ts'

// What nginx knows of the account's websites: links in folders that it follows at each request
// (folders.ts). One rename switches a website, and the next visitor sees it; nothing is tested and
// nothing reloaded, so no website can be in another's way.

/** The account's websites, as visitors see them. */
export const websites: Resource = {
  name: 'websites',
  ensure: ensureWebsites,
  remove: (machine, { sites, deleting }) => unname(machine, [...sites, ...deleting]),
  leave: (machine, { deleting }) => clear(machine, deleting),
  look: machine => account => [
    ...account.sites.flatMap(site => websiteDrift(machine, account, site)),
    ...account.deleting
      .filter(site => linksTo(machine, site).length > 0)
      .map(({ domain }) => `the website ${domain} is still served`),
  ],
}

/** Removes the folders of all websites, to which no name leads any more. */
export const clearWebsites: Act = (machine, { sites, deleting }) =>
  clear(machine, [...sites, ...deleting])

type Site = HostAccount['sites'][number]

/** Has nginx serve the account's sites, or say that they are suspended; it forgets what leaves. */
export async function ensureWebsites(
  machine: Machine,
  account: HostAccount,
): Promise<Warning | void> {
  const { sites, deleting } = account
  if (sites.length + deleting.length === 0) return
  // What an interrupted run may have changed last is synced in any case.
  const changed = new Set([`${webFolder}/sites`, `${webFolder}/names`])
  for (const site of sites) {
    for (const path of await ensureWebsite(machine, account, site)) changed.add(dirname(path))
  }
  await unname(machine, deleting)
  await machine.sync(...changed)
  return machine.services.look('nginx')
}

// The way to the website is made from its end, so that a name never leads nowhere. Returns what had
// to be made.
async function ensureWebsite(
  machine: Machine,
  account: HostAccount,
  site: Site,
): Promise<string[]> {
  const text = readServed(machine, site.id)
  const way = wayOf(site, text !== undefined)
  const roots = machine.files.owner(0, 0)
  const made = foldersOf(site, way).filter(folder => {
    clearForFolder(machine.path(folder))
    return ensureFolder(machine.path(folder), 0o755, roots)
  })
  if (text !== undefined) {
    const file = machine.path(certificateOf(site.id))
    clearForFile(file)
    await ensureFile(file, text, 0o640, machine.files.owner(0, 'web server'))
  }
  const fresh = machine.path(`${freshFolder}/${numberOf(site.id)}`)
  const links = linksOf(machine, account, site, text !== undefined).filter(
    ({ path, to, owner }) => {
      clearForFile(machine.path(path))
      return ensureLink(machine.path(path), to, { owner, fresh })
    },
  )
  // Last, so that a visitor finds one of both.
  const left = way.former.filter(path => isThere(machine.path(path)))
  for (const path of left) fs.rmSync(machine.path(path), { recursive: true })
  return [...made, ...links.map(({ path }) => path), ...left]
}

type Way = {
  /** Whether there is a way by HTTP; its visitors are sent on where there is none. */
  hasHttp: boolean
  /** Folders that nginx sees settings by. */
  markers: string[]
  /** What stands for the settings that are not. */
  former: string[]
}

function wayOf({ id, isHttpsOnly, servesSources }: Site, hasCertificate: boolean): Way {
  const live = at('live', numberOf(id))
  const [https, http, sources] = [`${live}/https-only`, `${live}/http`, `${live}/sources`]
  // Without a certificate there is nowhere to send anybody.
  const hasHttp = !(isHttpsOnly && hasCertificate)
  return {
    hasHttp,
    markers: [...(hasHttp ? [] : [https]), ...(servesSources ? [sources] : [])],
    former: [hasHttp ? https : http, ...(servesSources ? [] : [sources])],
  }
}

// Both are always there, so that nothing but the switch decides, and visits may be in progress.
function foldersOf({ id }: Site, { markers }: Way): string[] {
  const [live, held] = [at('live', numberOf(id)), at('held', numberOf(id))]
  return [live, held, `${held}/suspended`, ...markers]
}

type Link = { path: string; to: string; owner?: Owner | undefined }

function linksOf(
  { files }: Machine,
  { username, uid, desired }: HostAccount,
  site: Site,
  hasCertificate: boolean,
): Link[] {
  const number = numberOf(site.id)
  const live = at('live', number)
  const target = publicFolderOf(username, site.domain)
  // These are the account's, as nginx serves of a link only what belongs to the link's owner.
  const owner = files.owner(uid, uid)
  const names = namesOf(site)
  const proofs = hasCertificate ? names : []
  const { hasHttp } = wayOf(site, hasCertificate)
  return [
    ...(hasHttp ? [{ path: `${live}/http`, to: target, owner }] : []),
    { path: `${live}/https`, to: target, owner },
    { path: `${live}/php.sock`, to: socketOf(uid) },
    { path: at('sites', number), to: `../${desired === 'active' ? 'live' : 'held'}/${number}` },
    ...proofs.map(name => ({ path: at('tls', name), to: `../certs/${number}.pem` })),
    ...names.map(name => ({ path: at('names', name), to: `../sites/${number}` })),
  ]
}

const namesOf = ({ domain }: Pick<Site, 'domain'>): string[] => [domain, `www.${domain}`]

// Names that lead to the website; those that lead elsewhere are another's by now.
const linksTo = ({ path }: Machine, site: Site): string[] =>
  namesOf(site).flatMap(name => [
    ...[path(at('names', name))].filter(link => targetOf(link) === `../sites/${numberOf(site.id)}`),
    ...[path(at('tls', name))].filter(
      link => targetOf(link) === `../certs/${numberOf(site.id)}.pem`,
    ),
  ])

async function unname(machine: Machine, sites: readonly Site[]): Promise<void> {
  const links = sites.flatMap(site => linksTo(machine, site))
  for (const link of links) fs.rmSync(link)
  if (links.length > 0) await machine.sync(at('names', ''), at('tls', ''))
}

async function clear(machine: Machine, sites: readonly Site[]): Promise<void> {
  if (sites.length === 0) return
  await unname(machine, sites)
  await removeFolders(
    machine,
    sites.map(({ id }) => id),
  )
}

/** Removes the folders of websites, by their numbers, which no name leads to any more. */
export async function removeFolders(machine: Machine, siteIds: readonly string[]): Promise<void> {
  for (const id of siteIds) {
    removeFile(machine.path(at('sites', numberOf(id))))
    removeFile(machine.path(certificateOf(id)))
    for (const part of ['live', 'held'] as const) {
      fs.rmSync(machine.path(at(part, numberOf(id))), { recursive: true, force: true })
    }
  }
  await machine.sync(...(['sites', 'certs', 'live', 'held'] as const).map(part => at(part, '')))
}

function websiteDrift(machine: Machine, account: HostAccount, site: Site): (Drift | string)[] {
  const { path, files } = machine
  const text = readServed(machine, site.id)
  const owner = files.owner(0, 'web server')
  const way = wayOf(site, text !== undefined)
  const isProven = text === undefined || agrees(path(certificateOf(site.id)), text, 0o640, owner)
  return [
    ...foldersOf(site, way)
      .filter(folder => !isFolderSo(path(folder), 0o755, files.owner(0, 0)))
      .map(folder =>
        isFolder(path(folder)) ? `the folder ${folder} differs` : `there is no folder ${folder}`,
      ),
    ...way.former
      .filter(former => isThere(path(former)))
      .map(former => `requests for ${site.domain} still go through ${former}`),
    ...(isProven ? [] : [`the certificate of ${site.domain} is not served`]),
    ...linksOf(machine, account, site, text !== undefined)
      .filter(link => !isLinkTo(path(link.path), link.to, link.owner))
      .map(link => ({ path: link.path, expected: link.to, found: targetOf(path(link.path)) })),
  ]
}
