import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type { Machine } from '../contract.ts'
import { hasCode, listNames } from '../tools/files.ts'
import { accessLog } from '../web/nginx.ts'

// nginx's logs contain addresses of visitors and what they requested. Debian's logrotate makes each
// new one www-data's, and nginx gives those that it opens again to the user of its workers: either
// could read all of them. The workers keep a log open that is root's from then on.

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

const folder = dirname(accessLog)

// logrotate makes a log and has nginx open it in the same second. nginx's workers open it under
// their own user, so it has to be theirs until then.
const openedAfterMs = 10_000

// The worker closes logs every minute: a younger one is not yet a fault.
const closedAfterMs = 120_000

type Log = { path: string; file: number; found: fs.Stats }

/**
 * Lists nginx's logs that users other than root and its group may read, without new ones that the
 * worker closes within a minute.
 */
export const listOpenLogs = (machine: Machine): string[] =>
  closing(machine, closedAfterMs, ({ path }) => path)

/** Gives nginx's logs to root and closes them to all but their group; returns which it changed. */
export const closeLogs = (machine: Machine): string[] =>
  closing(machine, openedAfterMs, ({ path, file, found }) => {
    const owner = machine.files.owner(0, 0)
    if (owner !== undefined) fs.fchownSync(file, owner.uid, found.gid)
    fs.fchmodSync(file, 0o640)
    return path
  })

function closing(machine: Machine, afterMs: number, use: (log: Log) => string): string[] {
  const names = listNames(machine.path(folder)).filter(name => /\.log(\.|$)/.test(name))
  return names.flatMap(name => {
    const path = `${folder}/${name}`
    let file: number
    try {
      file = fs.openSync(machine.path(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ELOOP', 'ENXIO')) return []
      throw error
    }
    try {
      const found = fs.fstatSync(file)
      return isOldEnough(name, found, afterMs) && isOpen(machine, found)
        ? [use({ path, file, found })]
        : []
    } finally {
      fs.closeSync(file)
    }
  })
}

const isOldEnough = (name: string, { birthtimeMs }: fs.Stats, afterMs: number): boolean =>
  !name.endsWith('.log') || Date.now() - birthtimeMs >= afterMs

function isOpen(machine: Machine, found: fs.Stats): boolean {
  // A second link could be a file of another user's.
  if (!found.isFile() || found.nlink !== 1) return false
  const owner = machine.files.owner(0, 0)
  return (found.mode & 0o137) !== 0 || (owner !== undefined && found.uid !== owner.uid)
}
