import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from '../contract.ts'
import { publicFolderOf, type PublicSite } from './home.ts'
import { homeOf } from './users.ts'

/** The path that a visitor's request takes through a home to a website's files. */
export type Served = {
  /** The website's public folder, which may be a link. */
  path: string
  /** Its target with all links resolved; undefined if that is not in the home. */
  resolved: string | undefined
  /** The folders on the way there. */
  above: string[]
}

/** Resolves a website's public folder: an account's own links are followed within its home. */
export function servedOf(machine: Machine, username: string, site: PublicSite): Served {
  const home = machine.path(homeOf(username))
  const path = machine.path(publicFolderOf(username, site))
  const resolved = resolve(home, path)
  const above = [...foldersTo(home, dirname(path)), ...foldersTo(home, resolved ?? home)]
  return { path, resolved, above: [...new Set(above)] }
}

function resolve(home: string, path: string): string | undefined {
  try {
    const resolved = realpathSync(path)
    return resolved.startsWith(`${home}/`) ? resolved : undefined
  } catch {
    return undefined // Nothing exists, or it is being removed.
  }
}

/** Returns the folders from a home down to a folder below it, which is included. */
function foldersTo(home: string, folder: string): string[] {
  const names = folder
    .slice(home.length + 1)
    .split('/')
    .filter(Boolean)
  return names.map((_, index) => join(home, ...names.slice(0, index + 1)))
}
