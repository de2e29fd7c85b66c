import * as fs from 'node:fs'
import type { Machine, PhpPrograms } from '../contract.ts'
import { listNames, targetOf } from '../tools/files.ts'
import { defaultLink } from './instances.ts'

const programFolder = '/usr/sbin'

/** Returns the name of a version's program. */
export const programOf = (version: string): string => `php-fpm${version}`

/** Returns the path of a version's program, whether it is installed or not. */
export const programPathOf = (version: string): string => `${programFolder}/${programOf(version)}`

/** Returns the version of a program; undefined where its name has none, as in a sandbox. */
export const versionOf = (program: string): string | undefined =>
  /^php-fpm([0-9]+\.[0-9]+)$/.exec(program)?.[1]

/** Returns the installed versions, the newest first. */
export const listVersions = (path: (absolutePath: string) => string): string[] =>
  listNames(path(programFolder))
    .flatMap(name => versionOf(name) ?? [])
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))

/** Returns whether settings name a version that is not installed. */
export const isVersionMissing = (
  { php }: Pick<Machine, 'php'>,
  settings: { version?: string | undefined } | undefined,
): boolean => settings?.version !== undefined && !php.versions().includes(settings.version)

/** The php-fpm of a real machine. */
export const linuxPhp: PhpPrograms = {
  name() {
    const found = defaultProgram(path => path)
    if (found === undefined) throw new Error('There is no php-fpm in /usr/sbin')
    return found
  },

  versions: () => listVersions(path => path),

  // The program, its php.ini and its extensions' files, with their times.
  surroundings(program) {
    const folder = `/etc/php/${versionOf(program)}/fpm`
    const extensions = listNames(`${folder}/conf.d`).map(one => `${folder}/conf.d/${one}`)
    const paths = [`${programFolder}/${program}`, `${folder}/php.ini`, ...extensions]
    return paths.map(ageOf).join('\n')
  },
}

/** Returns the program of the chosen version, or else of the newest. */
export function defaultProgram(path: (absolutePath: string) => string): string | undefined {
  const versions = listVersions(path)
  const chosen = chosenVersion(path)
  const version = versions.find(one => one === chosen) ?? versions[0]
  return version === undefined ? undefined : programOf(version)
}

/** Returns the version that was chosen as the default, if one was. */
export const chosenVersion = (path: (absolutePath: string) => string): string | undefined =>
  versionOf(targetOf(path(defaultLink))?.slice(programFolder.length + 1) ?? '')

function ageOf(path: string): string {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return `${path} ${found?.ino} ${found?.size} ${found?.mtimeMs}`
}
