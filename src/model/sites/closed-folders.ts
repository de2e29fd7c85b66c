import { z } from 'zod'
import { protectedPath } from './site-grammar.ts'

// The folders of a website that its .htaccess files close. nginx finds them in the target of one
// link, so their names have a grammar and a limit.

const maxFolders = 100
// Linux allows 4,095 bytes for the whole path.
const maxBytes = 3_000

const folder = protectedPath.refine(path => path !== '/')

const fits = (folders: readonly string[]): boolean =>
  folders.length <= maxFolders && Buffer.byteLength(folders.join(':')) <= maxBytes

export const ClosedFolders = z.array(folder).refine(fits)

/** Returns the first of these folders that can be listed, in the order of their names. */
export function listable(folders: readonly string[]): string[] {
  const found: string[] = []
  for (const path of folders.toSorted()) {
    if (folder.safeParse(path).data === path && fits([...found, path])) found.push(path)
  }
  return found
}
