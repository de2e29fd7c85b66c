import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../contract.ts'
import { isFresh, listNames } from '../tools/files.ts'
import { listSitePhpFolders } from '../php/instances.ts'
import { certsFolder } from '../web/folders.ts'
import { certificatesFolder } from '../web/served-certificate.ts'
import { closedGroup, sftpGroup } from '../access/sftp.ts'
import { membersOf, indexUserFiles } from './user-database.ts'

// Files and users that no longer belong to anything.

// Much longer than any write takes.
const restMs = 3_600_000

const folders = ['/etc/panel', '/etc/panel/php', '/var/lib/panel', certsFolder]

/** Returns the temporary files of interrupted writes that were not repeated (`ensureFile`). */
export function findLeftovers(machine: Machine, now: number): string[] {
  const certificates = machine.path(certificatesFolder)
  const all = [
    ...folders.map(folder => machine.path(folder)),
    ...listNames(certificates).map(name => join(certificates, name)),
    ...listSitePhpFolders(machine).map(folder => machine.path(folder)),
  ]
  return all.flatMap(folder =>
    listNames(folder)
      .filter(isFresh)
      .map(name => join(folder, name))
      .filter(path => {
        const found = lstatSync(path, { throwIfNoEntry: false })
        return found?.isFile() === true && now - found.mtimeMs > restMs
      }),
  )
}

/** Removes leftover files and returns their paths. */
export function removeLeftovers(machine: Machine, now: number): string[] {
  const found = findLeftovers(machine, now)
  for (const path of found) rmSync(path)
  return found
}

/** Returns the users that the machine has for accounts: the members of the panel's groups. */
export function listSftpUsers({ path }: Pick<Machine, 'path'>) {
  const { fields } = indexUserFiles(path)
  return [sftpGroup, closedGroup].flatMap(group =>
    membersOf(fields('group', group)).map(name => ({
      ...{ name, group },
      // A group may name a user that was removed or never existed.
      isUser: fields('passwd', name) !== undefined,
    })),
  )
}
