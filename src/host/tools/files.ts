import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

// Files and folders owned by root. One that exists and agrees is not touched; a written one
// survives a power cut as a whole or not at all. The calls are synchronous except for those that
// wait for the disk: each takes microseconds, and a thread round trip would take a hundred.

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

const sync = promisify(fs.fsync)

export type Owner = { uid: number; gid: number }

/** Makes the file have this text, mode and owner; returns whether it had to be written. */
export async function ensureFile(
  path: string,
  text: string,
  mode: number,
  owner?: Owner,
): Promise<boolean> {
  if (agrees(path, text, mode, owner)) return false
  await replaceFile({ path, text, mode, owner })
  return true
}

/** Replaces a file's text. */
async function replaceFile(file: NewFile): Promise<void> {
  const fresh = freshOf(file.path)
  await writeFile({ ...file, path: fresh })
  // Replaces whatever is there, including a symbolic link, which is never followed.
  fs.renameSync(fresh, file.path)
  await syncFolder(dirname(file.path))
}

type NewFile = { path: string; text: string; mode: number; owner?: Owner | undefined }

// Writes a file that no process reads yet, to be renamed when it is on the disk.
async function writeFile({ path, text, mode, owner }: NewFile): Promise<void> {
  removeIfThere(path)
  const file = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    fs.writeFileSync(file, text)
    if (owner !== undefined) fs.fchownSync(file, owner.uid, owner.gid)
    fs.fchmodSync(file, mode)
    await sync(file)
  } finally {
    fs.closeSync(file)
  }
}

/**
 * Makes the path a symbolic link to this target, by a rename over what is there; returns whether it
 * had to be made. Until then the link is at `fresh`.
 */
export function ensureLink(
  path: string,
  target: string,
  { owner, fresh = freshOf(path) }: { owner?: Owner | undefined; fresh?: string } = {},
): boolean {
  if (isLinkTo(path, target, owner)) return false
  removeIfThere(fresh)
  fs.symlinkSync(target, fresh)
  if (owner !== undefined) fs.lchownSync(fresh, owner.uid, owner.gid)
  try {
    fs.renameSync(fresh, path)
    return true
  } catch (error) {
    fs.rmSync(fresh, { force: true })
    throw error
  }
}

/** Returns whether the path is a symbolic link to this target that belongs to this owner. */
export function isLinkTo(path: string, target: string, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() !== true || fs.readlinkSync(path) !== target) return false
  return isOwner(found, owner)
}

/** Returns the target of a symbolic link; undefined if there is none. */
export function targetOf(path: string): string | undefined {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() === true ? fs.readlinkSync(path) : undefined
}

/** Removes the file, and the remains of an interrupted write of it. */
export function removeFile(path: string): void {
  removeIfThere(freshOf(path))
  removeIfThere(path)
}

/** Removes the file, if it exists: usually it does not, and `force` would look twice. */
export function removeIfThere(path: string): void {
  if (isThere(path)) fs.rmSync(path, { force: true })
}

/** Makes the folder exist with this mode and owner; returns whether it had to be made. */
export function ensureFolder(path: string, mode: number, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory()) throw new Error(`Not a folder: ${path}`)
  if (found === undefined) fs.mkdirSync(path, { mode })
  const isOwned = owner === undefined || (found !== undefined && isOwner(found, owner))
  // The owner first: the former owner could change the mode again.
  if (!isOwned) fs.lchownSync(path, owner.uid, owner.gid)
  // The umask reduces the mode of a new folder.
  const isMode = found !== undefined && (found.mode & 0o7777) === mode
  if (!isMode || !isOwned) fs.chmodSync(path, mode)
  return found === undefined
}

/** Sets the path's owner, if one is given. */
export function ensureOwner(path: string, owner: Owner | undefined): void {
  if (owner !== undefined && !isOwnedBy(path, owner)) fs.lchownSync(path, owner.uid, owner.gid)
}

/** Returns whether the path belongs to this owner. */
export function isOwnedBy(path: string, owner: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && isOwner(found, owner)
}

const isOwner = (found: fs.Stats, owner: Owner | undefined): boolean =>
  owner === undefined || (found.uid === owner.uid && found.gid === owner.gid)

/** Returns whether the path is a folder with this mode and owner. */
export function isFolderSo(path: string, mode: number, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true || (found.mode & 0o7777) !== mode) return false
  return isOwner(found, owner)
}

/** Removes the folder if it is empty. */
export function removeFolder(path: string): void {
  try {
    fs.rmdirSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTEMPTY')) throw error
  }
}

/** Returns the text of a file, or undefined if it does not exist. Refuses a symbolic link. */
export function readFile(path: string): string | undefined {
  let file: number
  try {
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    return fs.readFileSync(file, 'utf8')
  } finally {
    fs.closeSync(file)
  }
}

/** Returns whether the path is a file, not a link, with this text, mode and owner. */
export function agrees(path: string, text: string, mode: number, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || (found.mode & 0o7777) !== mode) return false
  if (!isOwner(found, owner)) return false
  return found.size === Buffer.byteLength(text) && readFile(path) === text
}

/** Makes renames into a folder, and removals from it, durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = fs.openSync(path, O_RDONLY)
  try {
    await sync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

/**
 * Makes all earlier changes on the file system of a folder durable: a journal has changes in order,
 * and the folder's own is the newest.
 */
export async function syncJournal(path: string): Promise<void> {
  fs.utimesSync(path, new Date(), fs.statSync(path).mtime)
  await syncFolder(path)
}

/** Renames the path, if it exists. */
export function renameIfThere(from: string, to: string): void {
  // Usually it does not, and an error costs many times as much as this check.
  if (!isThere(from)) return
  try {
    fs.renameSync(from, to)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/**
 * Renames an object that was put where by now only root can write. A rename moves a link itself,
 * not its target.
 */
export function putAside(path: string): void {
  const asideOf = (count: number) => join(dirname(path), `.moved-${count}-${basename(path)}`)
  let count = 1
  while (isThere(asideOf(count))) count++
  fs.renameSync(path, asideOf(count))
}

/** Sets aside anything but a folder, where a folder belongs whose content is made again. */
export function clearForFolder(path: string): void {
  if (isThere(path) && !isFolder(path)) putAside(path)
}

/** Sets aside a folder where a file or a link belongs: a rename cannot replace it. */
export function clearForFile(path: string): void {
  if (isFolder(path)) putAside(path)
}

/** Returns whether the path exists, even as a dangling link. */
export const isThere = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Returns whether the path is a folder, and not a link to one. */
export const isFolder = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Returns the names in a folder; none if it does not exist. */
export const listNames = (path: string): string[] =>
  fs.existsSync(path) ? fs.readdirSync(path) : []

/** Returns whether an error has one of these file system codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

// A path has one writer at a time, so the name can always be the same: the next writer finds the
// file of a killed one, and no pattern over the folder matches it as a finished file.
const freshOf = (path: string): string => join(dirname(path), `.${basename(path)}.new`)

/** Returns whether this is the name of an unfinished file. */
export const isFresh = (name: string): boolean => /^\..+\.new$/.test(name)
