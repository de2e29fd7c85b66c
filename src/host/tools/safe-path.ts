import { type Stats, lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

// Whether a path leads to what its owners put there: nobody else can change it, put something in
// its place, or swap a link or folder on the way. Only the owners could make such a way unsafe
// again, so what was judged once may be used by its name.

export type Way = {
  /** Where the path leads behind all links, or how far it could be followed. */
  path: string
  /** What is there; undefined where nothing is. */
  found: Stats | undefined
  /** Why it is not safe, as a sentence without its full stop. */
  refusal: string | null
}

// What the kernel follows (path_resolution(7)).
const linksAtMost = 40

/**
 * Follows an absolute path from `/` through every link and judges each folder, link and file on it.
 *
 * @param owners the users whose they may be
 */
export function follow(path: string, owners: readonly number[]): Way {
  const ahead = namesOf(path)
  let real = '/'
  let found = lstatSync(real)
  let refusal = findRefusal(real, found, owners)
  let links = 0
  while (refusal === null && ahead.length > 0) {
    const name = ahead.shift()!
    // The parent of what was reached behind all links has been judged on the way.
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
      if (++links > linksAtMost) refusal = `${path} has too many links`
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
  // In a sticky folder others can't touch what is the owners'.
  const isSticky = found.isDirectory() && (found.mode & 0o1000) !== 0
  return isSticky ? null : findModeRefusal(path, found)
}

// Where an access list gives write to a further user or group, the mode's group may write too: it
// is the list's mask (acl(5)).
function findModeRefusal(path: string, { mode }: Stats): string | null {
  if ((mode & 0o002) !== 0) return `${path} may be written by others`
  if ((mode & 0o020) !== 0) return `${path} may be written by its group`
  return null
}

// A folder that is meant itself, or the one that a file lies in, is no place for others at all.
function validatePath(path: string, found: Stats, owners: readonly number[]): string | null {
  if (found.isDirectory()) return findModeRefusal(path, found)
  const folder = dirname(path)
  const place = lstatSync(folder)
  return findRefusal(folder, place, owners) ?? findModeRefusal(folder, place)
}

function toWords(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read (${code})`
}
