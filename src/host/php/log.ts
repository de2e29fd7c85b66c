import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { hasCode, isFolder, putAside } from '../tools/files.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, UserKey } from '../contract.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

// The log of an account's PHP, a file owned by the account, so that it counts for its disk limit.
// Its folder is root's: the account can read and empty the file, but neither remove it nor replace
// it by a link, a folder or a pipe. PHP opens it itself, as the account.

/** Returns the path of an account's PHP log. */
export const logOf = (username: string): string => `${homeOf(username)}/logs/php.log`

/** The previous log; only one is kept. */
const olderOf = (log: string): string => `${log}.1`

/** A larger log is rotated. */
export const maxBytes = 1_048_576

const mode = 0o600

/** Returns whether there is a log that the account's PHP can open. */
export const isLogThere = (machine: Machine, account: UserKey): boolean =>
  inspectLog(machine, account) === 'there'

/** Makes sure that the log exists and can be opened. */
export function ensureLog(machine: Machine, account: UserKey): void {
  const state = inspectLog(machine, account)
  if (state === 'closed') openLog(machine, account)
  else if (state === 'missing') makeLog(machine, account)
}

// The account may have changed its mode.
function inspectLog(
  { path, files }: Machine,
  { username, uid }: UserKey,
): 'there' | 'closed' | 'missing' {
  const found = fs.lstatSync(path(logOf(username)), { throwIfNoEntry: false })
  const owner = files.owner(uid, uid)
  if (found?.isFile() !== true) return 'missing'
  if (owner !== undefined && found.uid !== owner.uid) return 'missing'
  return (found.mode & mode) === mode ? 'there' : 'closed'
}

// Keeps the content. The folder is root's, so nothing can replace the file meanwhile.
function openLog(machine: Machine, { username }: UserKey): void {
  const location = machine.path(logOf(username))
  refuseForeign(machine, location)
  fs.chmodSync(location, mode)
}

/** Starts a new log if the current one is large; returns whether it did. */
export function rotateLog(machine: Machine, account: UserKey): boolean {
  const location = machine.path(logOf(account.username))
  const older = olderOf(location)
  const isLarge = fs.statSync(location).size > maxBytes
  if (isLarge) {
    refuseForeign(machine, location)
    clear(older)
    fs.linkSync(location, older)
    makeLog(machine, account)
  }
  cut(machine, older)
  return isLarge
}

// Truncates however much was logged between two checks: the rest of a flood says no more than its
// beginning. The owner of a file can hold a lease on it (fcntl(2)), for which a blocking open would
// wait 45 s, and the whole worker with it. Then the log is truncated at a later check.
function cut(machine: Machine, log: string): void {
  const found = fs.lstatSync(log, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.size <= maxBytes) return
  refuseForeign(machine, log)
  let file: number
  try {
    file = fs.openSync(log, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return
    throw error
  }
  try {
    fs.ftruncateSync(file, maxBytes)
  } finally {
    fs.closeSync(file)
  }
}

const makeLog = (machine: Machine, { username, uid }: UserKey): void =>
  startLog(machine, uid, machine.path(logOf(username)))

/**
 * Starts an empty log of an account in its folder of logs. It is created under another name, so
 * that there is a log at every moment.
 */
export function startLog(machine: Machine, uid: number, location: string): void {
  refuseForeign(machine, location)
  const fresh = `${location}.new`
  clear(fresh)
  const file = fs.openSync(fresh, 'wx', mode)
  try {
    fs.fchmodSync(file, mode)
    const owner = machine.files.owner(uid, uid)
    if (owner !== undefined) fs.fchownSync(file, owner.uid, owner.gid)
  } finally {
    fs.closeSync(file)
  }
  if (isFolder(location)) putAside(location)
  fs.renameSync(fresh, location)
}

// A folder here is possible only if its parent once belonged to another user.
function clear(path: string): void {
  if (isFolder(path)) putAside(path)
  else fs.rmSync(path, { force: true })
}

/**
 * Refuses folders that may have been given to the account, which could turn them into links to
 * anywhere.
 *
 * @throws if users other than root can change the folder of a log or the home
 */
export function refuseForeign({ files }: Machine, location: string): void {
  // Only where owners have a meaning.
  if (files.owner(0, 0) === undefined) return
  for (const folder of [dirname(dirname(location)), dirname(location)]) {
    const found = fs.lstatSync(folder)
    const isRoots = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0
    if (!isRoots) throw new Error(`Users other than root can change the folder ${folder}`)
  }
}
