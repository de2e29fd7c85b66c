import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder, isFolderSo } from './files.ts'
import { trash } from '../accounts/trash.ts'
import type { Machine } from '../contract.ts'
import { live, staging } from '../web/nginx-shared.ts'
import { certificatesFolder } from '../web/served-certificate.ts'

// The folders that are the panel's alone, with their modes.

const ownFolders: [path: string, mode: number][] = [
  ['/etc/panel', 0o755],
  ['/etc/panel/php', 0o755],
  ['/etc/panel/keys', 0o755],
  ['/etc/nginx/panel', 0o755],
  [live, 0o755],
  [staging, 0o755],
  ['/var/lib/panel', 0o755],
  ['/var/lib/panel/pages', 0o755],
  [certificatesFolder, 0o700],
  ['/var/lib/panel/quota', 0o755],
  [trash, 0o700],
]

/** Makes what is missing, and gives all of them their modes. */
export function ensureOwnFolders(machine: Machine): void {
  for (const [path, mode] of ownFolders) ensureFolder(machine.path(path), mode)
}

/** Those that are missing, or have another mode. */
export function listWrongFolders(machine: Machine): string[] {
  return ownFolders
    .filter(([path, mode]) => !isFolderSo(machine.path(path), mode))
    .map(([path]) => path)
}

/** Files with private keys of websites that others than their owner may read or write. */
export function findLooseFiles(machine: Machine): string[] {
  const folder = machine.path(certificatesFolder)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(path => {
      const found = lstatSync(path)
      return found.isFile() && (found.mode & 0o077) !== 0
    })
}
