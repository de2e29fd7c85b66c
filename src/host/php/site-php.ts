import * as fs from 'node:fs'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { effectivePhp, type PhpLimits } from '../../model/sites/php-limits.ts'
import type { PhpSettings } from '../../model/sites/php-settings.ts'
import type { Drift, Machine } from '../contract.ts'
import {
  clearForFolder,
  clearForFile,
  ensureFolder,
  ensureLink,
  isFolder,
  isLinkTo,
  isThere,
  listNames,
  removeFile,
  targetOf,
} from '../tools/files.ts'
import {
  extensionsOf,
  folderOf,
  programLinkOf,
  siteFoldersOf,
  sitePhpOf,
  startLinkOf,
  testedOf,
  uidOf,
  unreadOf,
  type SitePhp,
} from './instances.ts'
import { linksOfExtensions, usualExtensions } from './extensions.ts'
import { isVersionMissing, programOf, programPathOf, versionOf } from './linux-php.ts'

// The PHP of a website with settings: links to the program of its version and to its extensions, in
// a folder of root's next to its configuration. A change of the settings changes only these.

export type SitePool = {
  instance: SitePhp
  domain: string
  /** Undefined in a sandbox whose program has none. */
  version: string | undefined
  program: string
  isInstalled: boolean
  settings: PhpSettings
}

type Limits = { limits: PhpLimits }

/** Returns the settings of a website's PHP; undefined if it uses its account's. */
export function phpOf(
  { php }: Pick<Machine, 'php'>,
  { limits }: Limits,
  { settings }: Pick<HostAccount['sites'][number], 'settings'>,
): PhpSettings | undefined {
  if (limits.phpAllowed.length === 0) return effectivePhp(settings?.php, limits, none)
  const installed = php.versions()
  const byDefault = installed.length === 0 ? undefined : versionOf(php.name())
  return effectivePhp(settings?.php, limits, { installed, byDefault })
}

const none = { installed: [], byDefault: undefined }

/** Returns the PHP of each website that has settings for it, its own or its package's. */
export const listPools = (machine: Machine, account: HostAccount): SitePool[] =>
  account.sites.flatMap(site => {
    const { id, domain } = site
    const php = phpOf(machine, account, site)
    if (php === undefined) return []
    const chosen = php.version
    const program = chosen === undefined ? machine.php.name() : programOf(chosen)
    const isInstalled = !isVersionMissing(machine, php)
    const version = chosen ?? versionOf(program)
    const instance = sitePhpOf(account.uid, id)
    return [{ instance, domain, version, program, isInstalled, settings: php }]
  })

const programTarget = ({ version, program }: SitePool): string =>
  version === undefined ? `/usr/sbin/${program}` : programPathOf(version)

// Without a choice of extensions, a link: what an administrator installs later is there at once.
function extensionLinks(
  machine: Machine,
  { version, settings }: SitePool,
): Map<string, string> | undefined {
  const choice = Object.entries(settings.extensions ?? {})
  if (version === undefined || choice.length === 0) return undefined
  return linksOfExtensions(machine, version, new Map(choice))
}

/** Makes the links of a website's PHP. */
export function ensureLinks(machine: Machine, pool: SitePool): void {
  const { instance } = pool
  const root = machine.files.owner(0, 0)
  for (const folder of [siteFoldersOf(uidOf(instance)), folderOf(instance)]) {
    clearForFolder(machine.path(folder))
    ensureFolder(machine.path(folder), 0o755, root)
  }
  const program = machine.path(programLinkOf(instance))
  clearForFile(program)
  ensureLink(program, programTarget(pool))
  const place = machine.path(extensionsOf(instance))
  const links = extensionLinks(machine, pool)
  if (links === undefined) {
    if (isFolder(place)) fs.rmSync(place, { recursive: true })
    ensureLink(place, usualExtensions(pool.version))
    return
  }
  if (!isFolder(place)) fs.rmSync(place, { force: true })
  ensureFolder(place, 0o755, root)
  for (const [name, target] of links) {
    clearForFile(`${place}/${name}`)
    ensureLink(`${place}/${name}`, target)
  }
  for (const name of listNames(place).filter(one => !links.has(one)))
    fs.rmSync(`${place}/${name}`, { recursive: true })
}

/** Returns how the links of a website's PHP differ. */
export function linkDrift(machine: Machine, pool: SitePool): Drift[] {
  const { instance } = pool
  const place = extensionsOf(instance)
  const links = extensionLinks(machine, pool)
  const expected = [
    [programLinkOf(instance), programTarget(pool)] as const,
    ...(links === undefined ? [[place, usualExtensions(pool.version)] as const] : []),
    ...[...(links ?? [])].map(([name, target]) => [`${place}/${name}`, target] as const),
  ]
  const found = links === undefined ? [] : listNames(machine.path(place))
  return [
    ...expected
      .filter(([path, target]) => !isLinkTo(machine.path(path), target))
      .map(([path, target]) => ({
        ...{ path, expected: target, found: targetOf(machine.path(path)) },
      })),
    ...found
      .filter(name => links?.has(name) === false)
      .map(name => ({ sentence: `${place}/${name} is not an extension of ${pool.domain}` })),
  ]
}

/** Returns how a website differs whose version is not installed: its PHP must not start. */
export const versionDrift = (machine: Machine, { instance, domain, version }: SitePool) =>
  isThere(machine.path(startLinkOf(instance)))
    ? [`PHP ${version} of ${domain} is not installed`]
    : []

/** Removes all files of a website's PHP that was stopped; its folder last, which lists it. */
export function removeSiteFiles(machine: Machine, instance: SitePhp): void {
  machine.services.forgetSitePhp(instance)
  for (const path of [unreadOf(instance), testedOf(instance)])
    fs.rmSync(machine.path(path), { force: true })
  removeFile(machine.path(startLinkOf(instance)))
  fs.rmSync(machine.path(folderOf(instance)), { recursive: true, force: true })
}
