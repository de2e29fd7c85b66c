import { type Stats, lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

// Checks that only its owners control what a path leads to: no other user can change it, replace
// it, or swap a link or folder on the way. Only the owners could make such a path unsafe again, so
// a path that was checked once may be used by name.

export type Way = {
  /** The path with all links resolved, or as far as it could be followed. */
  path: string
  /** The object there; undefined if there is none. */
  found: Stats | undefined
  /** Why it is not safe, as a sentence without its full stop. */
  refusal: string | null
}

// The kernel's limit (path_resolution(7)).
const maxLinks = 40

/**
 * Follows an absolute path from `/` through every link and validates each folder, link and file on
 * it.
 *
 * @param owners the users that they may belong to
 */
export function follow(path: string, owners: readonly number[]): Way {
  const ahead = namesOf(path)
  let real = '/'
  let found = lstatSync(real)
  let refusal = findRefusal(real, found, owners)
  let links = 0
  while (refusal === null && ahead.length > 0) {
    const name = ahead.shift()!
    // The parent of the resolved path has been validated on the way.
    const next = name === '..' ? dirname(real) : join(real, name)
    try {
      found = lstatSync(next)
      refusal = findRefusal(next, found, owners)
      if (!found.isSymbolicLink()) {
        real = next
        continue
      }
      const target = readlinkSync(next)
      if (isAbsolute(target)) real = '/'
      ahead.unshift(...namesOf(target))
      if (++links > maxLinks) refusal = `${path} has too many links`
    } catch (error) {
      return { path: next, found: undefined, refusal: toWords(next, error) }
    }
  }
  return { path: real, found, refusal: refusal ?? validatePath(real, found, owners) }
}

const namesOf = (path: string): string[] =>
  path.split('/').filter(name => name !== '' && name !== '.')

function findRefusal(path: string, found: Stats, owners: readonly number[]): string | null {
  if (!owners.includes(found.uid)) return `${path} belongs to user ${found.uid}`
  if (found.isSymbolicLink()) return null // Its mode means nothing.
  // In a sticky folder, others cannot touch the owners' files.
  const isSticky = found.isDirectory() && (found.mode & 0o1000) !== 0
  return isSticky ? null : findModeRefusal(path, found)
}

// If an access list lets a further user or group write, the mode's group may write too: it is the
// list's mask (acl(5)).
function findModeRefusal(path: string, { mode }: Stats): string | null {
  if ((mode & 0o002) !== 0) return `${path} may be written by others`
  if ((mode & 0o020) !== 0) return `${path} may be written by its group`
  return null
}

// The folder that is meant itself, or the one that contains the file, must not be writable by
// others at all.
function validatePath(path: string, found: Stats, owners: readonly number[]): string | null {
  if (found.isDirectory()) return findModeRefusal(path, found)
  const folder = dirname(path)
  const location = lstatSync(folder)
  return findRefusal(folder, location, owners) ?? findModeRefusal(folder, location)
}

function toWords(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`
}
