import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { trash } from '../accounts/trash.ts'
import type { Machine } from '../contract.ts'
import { certsFolder, webFolders } from '../web/folders.ts'
import { certificatesFolder } from '../web/served-certificate.ts'
import { clearForFolder, ensureFolder, isFolderSo, type Owner } from './files.ts'

// The folders that belong to the panel, with their modes.

type OwnFolder = [path: string, mode: number, owner?: Owner | undefined]

const ownFolders = ({ files }: Machine): OwnFolder[] => [
  ['/etc/panel', 0o755],
  ['/etc/panel/php', 0o755],
  ['/etc/panel/keys', 0o755],
  // nginx and PHP find sockets in them.
  ['/run/panel', 0o755],
  ['/run/panel/php', 0o755],
  ['/var/lib/panel', 0o755],
  ...webFolders.filter(path => path !== certsFolder).map((path): OwnFolder => [path, 0o755]),
  // nginx opens files by name, and lists nothing.
  [certsFolder, 0o710, files.owner(0, 'web server')],
  [certificatesFolder, 0o700],
  ['/var/lib/panel/quota', 0o755],
  [trash, 0o700],
]

// An object in place of the others is not touched: it may be their content.
const isMadeAgain = (path: string): boolean =>
  [...webFolders, '/etc/panel/php', '/etc/panel/keys', '/run/panel/php'].includes(path)

/** Makes missing folders, and sets the modes and owners of all. */
export function ensureOwnFolders(machine: Machine): void {
  for (const [path, mode, owner] of ownFolders(machine)) {
    if (isMadeAgain(path)) clearForFolder(machine.path(path))
    ensureFolder(machine.path(path), mode, owner)
  }
}

/** Returns those that are missing, or have another mode or owner. */
export function listWrongFolders(machine: Machine): string[] {
  return ownFolders(machine)
    .filter(([path, mode, owner]) => !isFolderSo(machine.path(path), mode, owner))
    .map(([path]) => path)
}

/** Returns files with private keys of websites that users other than their owner may access. */
export function findLooseFiles(machine: Machine): string[] {
  const folder = machine.path(certificatesFolder)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => {
      const found = lstatSync(path)
      return found.isFile() && (found.mode & 0o077) !== 0
    })
}
