import { readdirSync } from 'node:fs'
import { listNames } from '../tools/files.ts'

// The units of PHP and their files, by instance.

/** An account's own PHP, by the user number, or that of one of its websites. */
export type PhpInstance = number | SitePhp
/** The numbers of the user and of the website. */
export type SitePhp = `${number}-${string}`

export const sitePhpOf = (uid: number, siteId: string): SitePhp => `${uid}-${siteId}`

export const isSitePhp = (instance: PhpInstance): instance is SitePhp =>
  typeof instance === 'string'

export const uidOf = (instance: PhpInstance): number => Number(String(instance).split('-')[0])

export const siteIdOf = (instance: SitePhp): string => instance.split('-')[1]!

/** Parses the name of an instance; undefined if it is none. */
export function toInstance(name: string): PhpInstance | undefined {
  const [, uid, siteId] = /^([1-9][0-9]*)(?:-([1-9][0-9]*))?$/.exec(name) ?? []
  if (uid === undefined) return undefined
  return siteId === undefined ? Number(uid) : sitePhpOf(Number(uid), siteId)
}

/** The socket at which nginx reaches an instance. */
export const socketOf = (instance: PhpInstance): string => `/run/panel/php/${instance}.sock`

export const phpFolder = '/etc/panel/php'

/** A link to the program that accounts run by default; none, if that is the newest. */
export const defaultLink = `${phpFolder}/default`

/** The folder of all instances of an account's websites; most accounts have none. */
export const siteFoldersOf = (uid: number): string => `${phpFolder}/${uid}`

/** The folder with everything that a website's PHP reads: its configuration and links. */
export const folderOf = (instance: SitePhp): string =>
  `${siteFoldersOf(uidOf(instance))}/${siteIdOf(instance)}`

/** A link to the program of a website's PHP, whose version may change. */
export const programLinkOf = (instance: SitePhp): string => `${folderOf(instance)}/php-fpm`

/** The extensions of a website's PHP: a link to those of its version, or a folder of links. */
export const extensionsOf = (instance: SitePhp): string => `${folderOf(instance)}/conf.d`

export const configurationOf = (instance: PhpInstance): string =>
  isSitePhp(instance) ? `${folderOf(instance)}/pool.conf` : `${phpFolder}/${instance}.conf`

/** The variables that php-fpm is started with. */
export const environmentOf = (instance: PhpInstance): Record<string, string> =>
  isSitePhp(instance) ? { PHP_INI_SCAN_DIR: extensionsOf(instance) } : {}

/** The copy of a configuration that is tested. */
export const testedOf = (instance: PhpInstance): string => `/run/panel/php/${instance}.test`

/** Exists while running PHP may not have read its files; a restart of the machine removes it. */
export const unreadOf = (instance: PhpInstance): string => `/run/panel/php/${instance}.unread`

// Links here make systemd start the sockets with the machine; without systemd, the worker reads
// them.
const startFolder = '/etc/systemd/system/sockets.target.wants'

export const startLinkOf = (instance: PhpInstance): string =>
  `${startFolder}/panel-php@${instance}.socket`

/** Returns the instances that should run. */
export const startLinks = (): PhpInstance[] =>
  readdirSync(startFolder).flatMap(name => {
    const instance = /^panel-php@(.*)\.socket$/.exec(name)?.[1]
    return toInstance(instance ?? '') ?? []
  })

/** Returns the instances of an account's websites that the machine has anything of. */
export const listSitePhp = (
  { path }: { path(absolutePath: string): string },
  uid: number,
): SitePhp[] =>
  listNames(path(siteFoldersOf(uid)))
    .filter(name => /^[1-9][0-9]*$/.test(name))
    .map(siteId => sitePhpOf(uid, siteId))

/** Returns the folders of the PHP of all accounts' websites. */
export const listSitePhpFolders = (machine: { path(absolutePath: string): string }): string[] =>
  listNames(machine.path(phpFolder))
    .filter(name => /^[1-9][0-9]*$/.test(name))
    .flatMap(uid => listSitePhp(machine, Number(uid)).map(folderOf))
