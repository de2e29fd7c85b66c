import type { Machine } from '../contract.ts'
import { clearForFolder, ensureFolder, isFolder } from '../tools/files.ts'
import { at, numberOf } from './folders.ts'

/**
 * The folder that makes nginx answer 503 for a website's scripts, while the version of PHP that it
 * uses is not installed.
 */
export const missingPhpOf = (siteId: string): string => `${at('live', numberOf(siteId))}/no-php`

/** Makes that folder for a website that is there. */
export async function markMissing(machine: Machine, siteId: string): Promise<void> {
  if (!isFolder(machine.path(at('live', numberOf(siteId))))) return
  const folder = machine.path(missingPhpOf(siteId))
  clearForFolder(folder)
  ensureFolder(folder, 0o755, machine.files.owner(0, 0))
  await machine.sync(at('live', numberOf(siteId)))
}
