import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { takePidLock } from '../pid-lock.ts'
import { PanelError } from '../errors.ts'

// The state directory contains keys and the database: a user who can write to it controls the
// panel.

/**
 * Makes the state directory, or refuses one that another user could have prepared, and returns its
 * real path.
 *
 * @throws {PanelError} forbidden
 */
export function ensureStateDir(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new PanelError('forbidden', `The state directory ${path} cannot be created (${code})`)
  }
  checkStateDir(path)
  const real = realpathSync(path)
  chmodSync(real, 0o700)
  return real
}

/**
 * Refuses a state directory that belongs to another user or that others may write.
 *
 * @throws {PanelError} forbidden
 */
export function checkStateDir(path: string): void {
  const { uid, mode } = statSync(path)
  const refuse = (reason: string) => {
    throw new PanelError('forbidden', `The state directory ${path} ${reason}`)
  }
  if (uid !== process.getuid?.()) refuse('belongs to another user')
  if ((mode & 0o022) !== 0) refuse('is writable by others: if it is yours, run chmod go-w on it')
}

/**
 * Locks a state directory for this process.
 *
 * @throws {PanelError} busy
 */
export function claimStateDir(path: string): void {
  const holder = takePidLock(join(path, 'lock'))
  if (holder !== undefined) {
    throw new PanelError('busy', `A panel (process ${holder}) already runs on ${path}`)
  }
}
