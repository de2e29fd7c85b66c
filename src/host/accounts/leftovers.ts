import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../contract.ts'
import { listNames } from '../tools/files.ts'
import { live } from '../web/nginx-shared.ts'
import { certificatesFolder } from '../web/served-certificate.ts'
import { closedGroup, sftpGroup } from '../access/sftp.ts'
import { membersOf, openUserFiles } from './user-database.ts'

// Files and users that belong to nothing any more.

// Far longer than any write takes.
const restMs = 3_600_000

const folders = ['/etc/panel', '/etc/panel/php', '/etc/nginx/panel', live, '/var/lib/panel']

/** Files of writes that were interrupted and have not been made again (`ensureFile`). */
export function findLeftovers(machine: Machine, now: number): string[] {
  const certificates = machine.path(certificatesFolder)
  const all = [
    ...folders.map(folder => machine.path(folder)),
    ...listNames(certificates).map(name => join(certificates, name)),
  ]
  return all.flatMap(folder =>
    listNames(folder)
      .filter(name => /^\..+\.new$/.test(name))
      .map(name => join(folder, name))
      .filter(path => {
        const found = lstatSync(path, { throwIfNoEntry: false })
        return found?.isFile() === true && now - found.mtimeMs > restMs
      }),
  )
}

/** Removes them, and returns which they were. */
export function removeLeftovers(machine: Machine, now: number): string[] {
  const found = findLeftovers(machine, now)
  for (const path of found) rmSync(path)
  return found
}

/** The numbers of the websites that nginx has files of. */
export const listSiteFiles = (machine: Machine): string[] =>
  listNames(machine.path(live)).flatMap(name => /^([1-9][0-9]*)\.conf$/.exec(name)?.[1] ?? [])

/** The users that the machine has for accounts: the members of the panel's groups. */
export function listSftpUsers(machine: Machine): string[] {
  const { fields } = openUserFiles(machine.path)
  return [sftpGroup, closedGroup].flatMap(group => membersOf(fields('group', group)))
}
