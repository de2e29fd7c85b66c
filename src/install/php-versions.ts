import { PanelError } from '../errors.ts'
import { run } from '../host/tools/run.ts'
import { installPackages, packages } from './packages.ts'
import type { Plan } from './plan.ts'
import { stopStockPhp } from './stock-php.ts'

// Further versions of PHP, from the sources of packages that the machine has.

export type PhpInstall = {
  /** The packages to install, and those whose installation was interrupted. */
  missing: string[]
  /** Usual extensions that the sources do not have for this version. */
  unavailable: string[]
}

/**
 * Returns what an install of a version would install; changes nothing.
 *
 * @throws {PanelError} `not_found`, if apt does not know it
 */
export async function planPhp(version: string): Promise<PhpInstall> {
  const program = `php${version}-fpm`
  const extensions = Object.keys(packages)
    .filter(name => name.startsWith('php-') && name !== 'php-fpm')
    .map(name => name.replace('php-', `php${version}-`))
  const known = toPolicies(await run('apt-cache', ['policy', '--', program, ...extensions]))
  const isKnown = (name: string) => known.get(name)?.candidate !== undefined
  if (!isKnown(program)) {
    const words =
      `apt has no package ${program}: add a source of packages that has it, ` +
      'run apt-get update, and try again'
    throw new PanelError('not_found', words)
  }
  const installed = await listInstalled([program, ...extensions])
  return {
    missing: [program, ...extensions].filter(name => isKnown(name) && !installed.has(name)),
    unavailable: extensions.filter(name => !isKnown(name)),
  }
}

// Returns the packages that are installed completely: apt also names the version of one that was
// only unpacked.
async function listInstalled(names: readonly string[]): Promise<Set<string>> {
  const query = ['--show', '--showformat=${Package} ${db:Status-Abbrev}\n', '--', ...names]
  // It fails where it does not know one of them.
  return toInstalled(await run('dpkg-query', query, { acceptedCodes: [1] }))
}

/** Parses lines of names, each with its status in two letters: desired and actual. */
export const toInstalled = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/^(\S+) .i/gm), ([, name = '']) => name))

type Policy = { installed: string | undefined; candidate: string | undefined }

/** Parses the answer of `apt-cache policy`; it leaves out packages that nothing mentions. */
export const toPolicies = (text: string): Map<string, Policy> =>
  new Map(
    text.split(/^(?=\S)/m).flatMap(block => {
      const name = /^(\S+):$/m.exec(block)?.[1]
      if (name === undefined) return []
      const field = (label: string) => {
        const value = new RegExp(`^  ${label}: (.*)$`, 'm').exec(block)?.[1]
        return value === '(none)' ? undefined : value
      }
      return [[name, { installed: field('Installed'), candidate: field('Candidate') }] as const]
    }),
  )

/**
 * Installs a version as planned; the package's own service is not run, as accounts have theirs. A
 * repeat completes an interrupted install.
 */
export async function installPhp(
  version: string,
  { missing }: PhpInstall,
  progress: Plan['progress'],
): Promise<void> {
  if (missing.length > 0) await installPackages(missing, progress)
  await stopStockPhp(version)
}
