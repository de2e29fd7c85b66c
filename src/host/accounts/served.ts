import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from '../contract.ts'
import { publicFolderOf } from './home.ts'
import { homeOf } from './users.ts'

/** What a visitor's request for a website comes through. */
export type Served = {
  /** Its public folder as the website has it, which may be a link. */
  path: string
  /** Where that is, links followed; undefined where it is nowhere in the home. */
  place: string | undefined
  /** The folders that lead there. */
  above: string[]
}

/** Where the public folder of a website is: an account's own links are followed in its home. */
export function servedOf(machine: Machine, username: string, domain: string): Served {
  const home = machine.path(homeOf(username))
  const path = machine.path(publicFolderOf(username, domain))
  const place = placeOf(home, path)
  const above = [...foldersTo(home, dirname(path)), ...foldersTo(home, place ?? home)]
  return { path, place, above: [...new Set(above)] }
}

function placeOf(home: string, path: string): string | undefined {
  try {
    const place = realpathSync(path)
    return place.startsWith(`${home}/`) ? place : undefined
  } catch {
    return undefined // There is nothing, or it goes this moment.
  }
}

/** The folders on the way from a home to a folder below it, and that itself. */
function foldersTo(home: string, folder: string): string[] {
  const names = folder
    .slice(home.length + 1)
    .split('/')
    .filter(Boolean)
  return names.map((_, index) => join(home, ...names.slice(0, index + 1)))
}
