import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

// Files and folders of root's own. What exists and agrees is left alone; what is written survives
// a power cut whole or not at all. The calls are synchronous but for those that wait for the disk:
// each takes microseconds, and the way to a thread and back would take a hundred.

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

const sync = promisify(fs.fsync)

export type Owner = { uid: number; gid: number }

/** Makes the file have this text, mode and owner, and says whether it had to be written. */
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

/** Gives a file a new text. */
async function replaceFile(file: NewFile): Promise<void> {
  const fresh = freshOf(file.path)
  await writeFile({ ...file, path: fresh })
  // In the place of what is there, a symbolic link included, which is never followed.
  fs.renameSync(fresh, file.path)
  await syncFolder(dirname(file.path))
}

type NewFile = { path: string; text: string; mode: number; owner?: Owner | undefined }

// A file that nobody reads yet, to be renamed when it is on the disk.
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
 * Makes the path a symbolic link to this target, by a rename over what is there, and says whether
 * it had to be made. Until then the link is at `fresh`.
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

/** Whether the path is a symbolic link to this target that belongs to this owner. */
export function isLinkTo(path: string, target: string, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() !== true || fs.readlinkSync(path) !== target) return false
  return isOwner(found, owner)
}

/** Where a symbolic link leads; undefined where there is none. */
export function targetOf(path: string): string | undefined {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() === true ? fs.readlinkSync(path) : undefined
}

/** Removes the file, and what an interrupted write of it left behind. */
export function removeFile(path: string): void {
  removeIfThere(freshOf(path))
  removeIfThere(path)
}

/** Removes the file, if there is one: mostly there is none, and `force` looks twice. */
export function removeIfThere(path: string): void {
  if (isThere(path)) fs.rmSync(path, { force: true })
}

/** Makes the folder exist with this mode and owner, and says whether it had to be made. */
export function ensureFolder(path: string, mode: number, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory()) throw new Error(`Not a folder: ${path}`)
  if (found === undefined) fs.mkdirSync(path, { mode })
  const isOwned = owner === undefined || (found !== undefined && isOwner(found, owner))
  // The owner first: who had it before could give it another mode again.
  if (!isOwned) fs.lchownSync(path, owner.uid, owner.gid)
  // The mode that a folder is made with is cut by the umask.
  const isMode = found !== undefined && (found.mode & 0o7777) === mode
  if (!isMode || !isOwned) fs.chmodSync(path, mode)
  return found === undefined
}

/** Makes the path be this owner's, where one is named. */
export function ensureOwner(path: string, owner: Owner | undefined): void {
  if (owner !== undefined && !isOwnedBy(path, owner)) fs.lchownSync(path, owner.uid, owner.gid)
}

/** Whether the path belongs to this owner. */
export function isOwnedBy(path: string, owner: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && isOwner(found, owner)
}

const isOwner = (found: fs.Stats, owner: Owner | undefined): boolean =>
  owner === undefined || (found.uid === owner.uid && found.gid === owner.gid)

/** Whether the path is a folder with this mode and owner. */
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

/** The text of a file, or undefined where there is none. A symbolic link is refused. */
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

/** Whether the path is a file, and no link, with this text, mode and owner. */
export function agrees(path: string, text: string, mode: number, owner?: Owner): boolean {
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || (found.mode & 0o7777) !== mode) return false
  if (!isOwner(found, owner)) return false
  return found.size === Buffer.byteLength(text) && readFile(path) === text
}

/** Makes what was renamed into or removed from a folder last. */
export async function syncFolder(path: string): Promise<void> {
  const folder = fs.openSync(path, O_RDONLY)
  try {
    await sync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

/**
 * Makes all last that was changed before on the file system of a folder: a journal has its changes
 * in their order, and the folder's own is the newest.
 */
export async function syncJournal(path: string): Promise<void> {
  fs.utimesSync(path, new Date(), fs.statSync(path).mtime)
  await syncFolder(path)
}

/** Renames what is there, if anything is. */
export function renameIfThere(from: string, to: string): void {
  // Mostly nothing is, and an error costs many times such a look.
  if (!isThere(from)) return
  try {
    fs.renameSync(from, to)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/**
 * Renames what somebody has put where only root can write by now. A rename takes a link itself, not
 * its target.
 */
export function putAside(path: string): void {
  const asideOf = (count: number) => join(dirname(path), `.moved-${count}-${basename(path)}`)
  let count = 1
  while (isThere(asideOf(count))) count++
  fs.renameSync(path, asideOf(count))
}

/** Puts aside what is no folder where one belongs whose contents are made again. */
export function clearForFolder(path: string): void {
  if (isThere(path) && !isFolder(path)) putAside(path)
}

/** Puts aside a folder where a file or a link belongs: no rename takes its place. */
export function clearForFile(path: string): void {
  if (isFolder(path)) putAside(path)
}

/** Whether anything is at a path, be it a link that leads nowhere. */
export const isThere = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Whether a folder is at a path, and no link to one. */
export const isFolder = (path: string): boolean =>
  fs.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The names in a folder; none where there is no folder. */
export const listNames = (path: string): string[] =>
  fs.existsSync(path) ? fs.readdirSync(path) : []

/** Whether an error is one of these of the file system's. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

// One writer at a time writes a path, so the name can be the same each time: what a killed one
// left is found by the next, and no pattern that reads the folder takes it for a finished file.
const freshOf = (path: string): string => join(dirname(path), `.${basename(path)}.new`)

/** Whether this is the name of what is being made, or was left by who was killed at it. */
export const isFresh = (name: string): boolean => /^\..+\.new$/.test(name)
