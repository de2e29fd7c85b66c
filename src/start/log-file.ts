import { mkdirSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Opens an empty log and returns its descriptor. Only one earlier log is kept, as `.1`, which is
 * enough to see why something had to start again.
 */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    renameSync(path, `${path}.1`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return openSync(path, 'w', 0o600)
}
