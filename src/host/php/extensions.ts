import { readFileSync } from 'node:fs'
import type { InstalledPhp } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { listNames } from '../tools/files.ts'
import { versionOf } from './linux-php.ts'

// The extensions of each version, as Debian's packages lay them out: a file for each that is
// installed, and a link for each that is switched on.

const installedIn = (version: string): string => `/etc/php/${version}/mods-available`
const enabledIn = (version: string): string => `/etc/php/${version}/fpm/conf.d`

/** Returns the folder of a version's extensions; of the sandbox's where there is no version. */
export const usualExtensions = (version: string | undefined): string =>
  version === undefined ? '/etc/php/fpm/conf.d' : enabledIn(version)

/** Returns the names of a version's installed extensions. */
export const listExtensions = ({ path }: Pick<Machine, 'path'>, version: string): string[] =>
  listNames(path(installedIn(version)))
    .flatMap(name => /^(.+)\.ini$/.exec(name)?.[1] ?? [])
    .sort()

/** Lists the installed versions with their extensions, and which of these are usually on. */
export function listInstalledPhp(machine: Machine): InstalledPhp {
  const versions = machine.php.versions()
  const byDefault = versions.length === 0 ? undefined : versionOf(machine.php.name())
  return {
    byDefault: byDefault ?? null,
    versions: versions.map(version => {
      const on = new Set(listNames(machine.path(enabledIn(version))).map(nameOf))
      const names = listExtensions(machine, version)
      return { version, extensions: names.map(name => ({ name, isOn: on.has(name) })) }
    }),
  }
}

/**
 * Returns links to the extensions of a version that are switched on, except those that are chosen
 * to be off, and to those that are chosen to be on. One that is not installed is left out.
 */
export function linksOfExtensions(
  machine: Pick<Machine, 'path'>,
  version: string,
  choice: ReadonlyMap<string, boolean>,
): Map<string, string> {
  const usual = listNames(machine.path(enabledIn(version))).filter(name => nameOf(name) !== '')
  const kept = usual.filter(name => choice.get(nameOf(name)) !== false)
  const names = new Set(kept.map(nameOf))
  const installed = listExtensions(machine, version)
  const added = installed.filter(name => choice.get(name) === true && !names.has(name))
  return new Map([
    ...kept.map(name => [name, `${enabledIn(version)}/${name}`] as const),
    ...added.map(name => {
      const file = `${installedIn(version)}/${name}.ini`
      return [`${priorityIn(machine.path(file))}-${name}.ini`, file] as const
    }),
  ])
}

/** Returns the extension of a link such as `20-gd.ini`; '' for any other file. */
const nameOf = (link: string): string => /^[0-9]+-(.+)\.ini$/.exec(link)?.[1] ?? ''

// The order in which PHP loads it, as phpenmod(8) reads it.
const priorityIn = (file: string): string =>
  /^; *priority=([0-9]{1,2})$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '20'
