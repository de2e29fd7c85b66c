import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { hasCode, isFolder, putAside } from '../tools/files.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine, UserKey } from '../contract.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

// What an account's PHP says, in a file of the account's own, so that it counts against its disk
// limit. Its folder is root's: the account can read and empty the file, but neither remove it nor
// put a link, a folder or a pipe in its place. PHP itself opens it, as the account.

/** Where an account's PHP writes what it has to say. */
export const logOf = (username: string): string => `${homeOf(username)}/logs/php.log`

/** What was written before; one is kept. */
const olderOf = (log: string): string => `${log}.1`

/** A log that is larger is put aside. */
export const maxBytes = 1_048_576

const mode = 0o600

/** Whether there is a log that the account's PHP can open. */
export const isLogThere = (machine: Machine, account: UserKey): boolean =>
  lookAtLog(machine, account) === 'there'

/** Makes the log be there, and open. */
export function ensureLog(machine: Machine, account: UserKey): void {
  const state = lookAtLog(machine, account)
  if (state === 'closed') openLog(machine, account)
  else if (state === 'missing') makeLog(machine, account)
}

// Its owner may have closed it.
function lookAtLog(
  { path, files }: Machine,
  { username, uid }: UserKey,
): 'there' | 'closed' | 'missing' {
  const found = fs.lstatSync(path(logOf(username)), { throwIfNoEntry: false })
  const owner = files.owner(uid, uid)
  if (found?.isFile() !== true) return 'missing'
  if (owner !== undefined && found.uid !== owner.uid) return 'missing'
  return (found.mode & mode) === mode ? 'there' : 'closed'
}

// What it says stays. In a folder of root's nothing else can come into its place meanwhile.
function openLog(machine: Machine, { username }: UserKey): void {
  const place = machine.path(logOf(username))
  refuseForeign(machine, place)
  fs.chmodSync(place, mode)
}

/** Begins a new log where it has become large, and says whether it did. */
export function rotateLog(machine: Machine, account: UserKey): boolean {
  const place = machine.path(logOf(account.username))
  const older = olderOf(place)
  const isLarge = fs.statSync(place).size > maxBytes
  if (isLarge) {
    refuseForeign(machine, place)
    clear(older)
    fs.linkSync(place, older)
    makeLog(machine, account)
  }
  cut(machine, older)
  return isLarge
}

// However much was said between two looks: the rest of a flood tells no more than its beginning.
// Whoever owns a file can hold a lease on it (fcntl(2)), for which an open that waits would wait
// 45 s, and all of the worker with it. It is cut at a later look then.
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

// Made aside, so that there is a log at every moment.
function makeLog(machine: Machine, { username, uid }: UserKey): void {
  const place = machine.path(logOf(username))
  refuseForeign(machine, place)
  const fresh = `${place}.new`
  clear(fresh)
  const file = fs.openSync(fresh, 'wx', mode)
  try {
    fs.fchmodSync(file, mode)
    const owner = machine.files.owner(uid, uid)
    if (owner !== undefined) fs.fchownSync(file, owner.uid, owner.gid)
  } finally {
    fs.closeSync(file)
  }
  if (isFolder(place)) putAside(place)
  fs.renameSync(fresh, place)
}

// A folder can only be there since somebody had given away the one that it is in.
function clear(path: string): void {
  if (isFolder(path)) putAside(path)
  else fs.rmSync(path, { force: true })
}

// Somebody may have given the folders to the account, which could turn them into links to anywhere.
function refuseForeign({ files }: Machine, place: string): void {
  // Where owners mean something.
  if (files.owner(0, 0) === undefined) return
  for (const folder of [dirname(dirname(place)), dirname(place)]) {
    const found = fs.lstatSync(folder)
    const isRoots = found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0
    if (!isRoots) throw new Error(`Users other than root can change the folder ${folder}`)
  }
}
